-- case: rows go by place, by a list and by name
CREATE TABLE t (a INT, b STRING) USING {format};
INSERT INTO t VALUES (1, 'x'), (2, NULL);
--> 2 inserted
INSERT INTO t (b, a) VALUES ('y', 3);
--> 1 inserted
INSERT INTO t BY NAME SELECT 'z' AS B, 4 AS A;
--> 1 inserted
INSERT INTO t (a) VALUES (5);
--> 1 inserted
INSERT INTO t SELECT CAST(id AS INT), 'r' FROM range(6, 8);
--> 2 inserted
SELECT * FROM t ORDER BY a;
--> a int | b string
--> 1 | x
--> 2 | NULL
--> 3 | y
--> 4 | z
--> 5 | NULL
--> 6 | r
--> 7 | r

-- case: another number of values is refused
CREATE TABLE t (a INT, b STRING) USING {format};
INSERT INTO t VALUES (1, 'x', 2);
--> error INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS 21S01
INSERT INTO t (a) VALUES (1, 'x');
--> error INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS 21S01
INSERT INTO t (a, a) VALUES (1, 2);
--> error COLUMN_ALREADY_EXISTS 42711
INSERT INTO t (nope) VALUES (1);
--> error UNRESOLVED_COLUMN.WITH_SUGGESTION 42703
INSERT INTO t BY NAME SELECT 1 AS a, 2 AS nope;
--> error INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS KD000
INSERT INTO nope VALUES (1);
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
SELECT count(*) AS n FROM t;
--> n bigint
--> 0

-- case: values that do not fit are refused, and nothing is written
CREATE TABLE t (a INT, b BOOLEAN, c DATE) USING {format};
-- unlike Spark: one condition for every value that is not stored as it is (decision 7)
INSERT INTO t VALUES (3000000000, true, NULL);
--> error INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST KD000
-->[spark] error CAST_OVERFLOW_IN_TABLE_INSERT 22003
INSERT INTO t VALUES ('abc', true, NULL);
--> error INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST KD000
INSERT INTO t VALUES (1, DATE'2026-01-31', NULL);
--> error INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST KD000
INSERT INTO t VALUES (1, true, 5);
--> error INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST KD000
SELECT count(*) AS n FROM t;
--> n bigint
--> 0

-- case: overwriting puts rows in place of all
CREATE TABLE t (a INT) USING {format};
INSERT INTO t VALUES (1), (2);
--> 2 inserted
INSERT OVERWRITE t SELECT 9;
--> 1 inserted
SELECT * FROM t;
--> a int
--> 9
INSERT OVERWRITE TABLE t VALUES (7), (8);
--> 2 inserted
SELECT * FROM t ORDER BY a;
--> a int
--> 7
--> 8
INSERT INTO TABLE t TABLE t;
--> 2 inserted
SELECT a, count(*) AS n FROM t GROUP BY a ORDER BY a;
--> a int | n bigint
--> 7 | 2
--> 8 | 2

-- case: rows that meet a condition are replaced
CREATE TABLE t (a INT, b STRING) USING {format};
INSERT INTO t VALUES (1, 'x'), (2, 'y');
--> 2 inserted
-- unlike Spark: not in Spark for files; its error has no SQLSTATE
INSERT INTO t REPLACE WHERE a = 1 SELECT 1, 'z';
--> 1 inserted, 1 deleted
-->[files] refused UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
-->[spark] error _LEGACY_ERROR_TEMP_1012 None
-- unlike Spark: as a statement above has left it
SELECT * FROM t ORDER BY a;
--> a int | b string
--> 1 | z
--> 2 | y
-->[spark] a int | b string
-->[spark] 1 | x
-->[spark] 2 | y
-- unlike Spark: not in Spark for files; its error has no SQLSTATE
INSERT INTO t REPLACE WHERE a = 1 SELECT 2, 'z';
--> error DELTA_REPLACE_WHERE_MISMATCH 44000
-->[spark] error _LEGACY_ERROR_TEMP_1012 None
-- unlike Spark: as a statement above has left it
SELECT * FROM t ORDER BY a;
--> a int | b string
--> 1 | z
--> 2 | y
-->[spark] a int | b string
-->[spark] 1 | x
-->[spark] 2 | y

-- case: evolution brings columns
CREATE TABLE t (a INT) USING {format};
INSERT INTO t VALUES (1);
--> 1 inserted
-- unlike Spark: one condition for what a table of files does not do
INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT 2 AS a, 'n' AS b;
--> 1 inserted
-->[files] refused UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
-->[spark] error UNSUPPORTED_INSERT_WITH_SCHEMA_EVOLUTION 0A000
-- unlike Spark: as a statement above has left it
SELECT * FROM t ORDER BY a;
--> a int | b string
--> 1 | NULL
--> 2 | n
-->[spark] a int
-->[spark] 1
