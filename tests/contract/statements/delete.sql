-- case: rows that meet a condition go
CREATE TABLE t (a INT, b STRING) USING {format};
INSERT INTO t VALUES (1, 'x'), (2, NULL), (3, 'z');
--> 3 inserted
DELETE FROM t WHERE b IS NULL;
--> 1 deleted
-->[files] refused UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
DELETE FROM t WHERE a IN (SELECT CAST(id AS INT) FROM range(2));
--> 1 deleted
DELETE FROM t WHERE a > 100;
--> no rows
SELECT * FROM t;
--> a int | b string
--> 3 | z
DELETE FROM t WHERE nope = 1;
--> error UNRESOLVED_COLUMN.WITHOUT_SUGGESTION 42703
DELETE FROM t WHERE a / 0 = 1;
--> error DIVIDE_BY_ZERO 22012
DELETE FROM t;
--> 1 deleted
SELECT count(*) AS n FROM t;
--> n bigint
--> 0

-- case: there has to be a table
DELETE FROM nope WHERE a = 1;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
TRUNCATE TABLE nope;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01

-- case: all rows go at once
CREATE TABLE t (a INT) USING {format};
INSERT INTO t VALUES (1), (2);
--> 2 inserted
-- unlike Spark: files take rows alone; columns, properties and single rows are not changed (reference/formats)
TRUNCATE TABLE t;
--> 2 deleted
-->[files] refused UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
-->[spark] done
SELECT count(*) AS n FROM t;
--> n bigint
--> 0
