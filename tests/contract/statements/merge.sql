-- case: rows that match change and others come
CREATE TABLE t (id INT, v STRING) USING {format};
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (NULL, 'n');
--> 3 inserted
MERGE INTO t USING (SELECT * FROM VALUES (2, 'B'), (3, 'C'), (NULL, 'N') AS s(id, v)) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *;
--> 2 inserted, 1 updated
-->[files] refused UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
SELECT * FROM t ORDER BY id, v;
--> id int | v string
--> NULL | N
--> NULL | n
--> 1 | a
--> 2 | B
--> 3 | C
MERGE INTO t USING (SELECT 1 AS id) AS s ON t.id = s.id WHEN MATCHED THEN DELETE WHEN NOT MATCHED BY SOURCE AND t.id = 3 THEN UPDATE SET v = 'gone';
--> 1 updated, 1 deleted
SELECT * FROM t ORDER BY id, v;
--> id int | v string
--> NULL | N
--> NULL | n
--> 2 | B
--> 3 | gone

-- case: two rows of the source for one of the table
CREATE TABLE t (id INT, v STRING) USING {format};
INSERT INTO t VALUES (1, 'a');
--> 1 inserted
MERGE INTO t USING (SELECT * FROM VALUES (1, 'b'), (1, 'c') AS s(id, v)) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *;
--> error MERGE_CARDINALITY_VIOLATION 23K01
-->[files] error UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
SELECT * FROM t;
--> id int | v string
--> 1 | a
-- unlike Spark: a suggestion is made where a name is near, and the condition says whether there is one
MERGE INTO t USING (SELECT 1 AS id) AS s ON t.id = s.nope WHEN MATCHED THEN DELETE;
--> error UNRESOLVED_COLUMN.WITHOUT_SUGGESTION 42703
-->[files] error UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
-->[spark] error UNRESOLVED_COLUMN.WITH_SUGGESTION 42703
-- unlike Spark: it looks for the source first
MERGE INTO t USING nope AS s ON t.id = s.id WHEN MATCHED THEN DELETE;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
-->[files] error UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
-->[spark] error TABLE_OR_VIEW_NOT_FOUND 42P01

-- case: columns that only the source has
CREATE TABLE t (id INT) USING {format};
INSERT INTO t VALUES (1);
--> 1 inserted
MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 2 AS id, 'x' AS w) AS s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *;
--> 1 inserted
-->[files] refused UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
SELECT * FROM t ORDER BY id;
--> id int | w string
--> 1 | NULL
--> 2 | x

-- case: there has to be a table
MERGE INTO nope USING (SELECT 1 AS id) AS s ON nope.id = s.id WHEN MATCHED THEN DELETE;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
