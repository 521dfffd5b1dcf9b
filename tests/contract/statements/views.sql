-- case: a query with a name
CREATE TABLE t (a INT, b STRING) USING {format};
INSERT INTO t VALUES (1, 'x'), (2, NULL);
--> 2 inserted
CREATE VIEW v AS SELECT a, upper(b) AS c FROM t WHERE a > 0;
SELECT * FROM v ORDER BY a;
--> a int | c string
--> 1 | X
--> 2 | NULL
CREATE VIEW v AS SELECT 1 AS a;
--> error TABLE_OR_VIEW_ALREADY_EXISTS 42P07
CREATE VIEW IF NOT EXISTS v AS SELECT 1 AS a;
--> nothing to do
CREATE OR REPLACE VIEW v (n COMMENT 'how many') COMMENT 'counted' AS SELECT count(*) AS m FROM t;
SELECT * FROM v;
--> n bigint
--> 2
DESCRIBE v;
--> col_name string | data_type string | comment string
--> n | bigint | how many
ALTER VIEW v AS SELECT 7 AS z;
SELECT * FROM v;
--> z int
--> 7
-- unlike Spark: DROP TABLE is for tables
DROP TABLE v;
--> error WRONG_COMMAND_FOR_OBJECT_TYPE 42809
-->[spark] done
DROP VIEW t;
--> error WRONG_COMMAND_FOR_OBJECT_TYPE 42809
-- unlike Spark: the view is still there, as above
DROP VIEW v;
-->[spark] error TABLE_OR_VIEW_NOT_FOUND 42P01
DROP VIEW v;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
DROP VIEW IF EXISTS v;
--> nothing to do

-- case: what cannot be a view
CREATE VIEW v AS SELECT * FROM nope;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
CREATE VIEW v (a, b) AS SELECT 1 AS a;
--> error CREATE_VIEW_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS 21S01
CREATE VIEW v AS SELECT 1 AS a, 2 AS a;
--> error COLUMN_ALREADY_EXISTS 42711
CREATE TEMPORARY VIEW tv AS SELECT 1 AS a;
CREATE VIEW v AS SELECT * FROM tv;
--> error INVALID_TEMP_OBJ_REFERENCE 42K0F
DROP VIEW tv;
SHOW VIEWS IN {schema};
--> namespace string | viewName string | isTemporary boolean

-- case: a view is not written to
CREATE VIEW v AS SELECT 1 AS a;
INSERT INTO v VALUES (1);
--> error EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE 42809
-- unlike Spark: a view is told as one; Spark fails in itself
DELETE FROM v;
--> error EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE 42809
-->[spark] error INTERNAL_ERROR XX000
-- unlike Spark: a view is told as one; Spark fails in itself
UPDATE v SET a = 2;
--> error EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE 42809
-->[spark] error UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
ALTER TABLE v ADD COLUMN b INT;
--> error EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE 42809
TRUNCATE TABLE v;
--> error EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE 42809

-- case: views that read themselves
CREATE VIEW v AS SELECT 1 AS a;
CREATE VIEW w AS SELECT * FROM v;
ALTER VIEW v AS SELECT * FROM w;
--> error RECURSIVE_VIEW 42K0H
CREATE OR REPLACE VIEW v AS SELECT * FROM w;
--> error RECURSIVE_VIEW 42K0H
SELECT * FROM w;
--> a int
--> 1

-- case: another name and properties
CREATE VIEW v TBLPROPERTIES ('team' = 'it') AS SELECT 1 AS a;
ALTER VIEW v RENAME TO w;
SELECT * FROM w;
--> a int
--> 1
SELECT * FROM {schema}.v;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
ALTER VIEW w SET TBLPROPERTIES ('floor' = '3');
SHOW TBLPROPERTIES w ('floor');
--> key string | value string
--> floor | 3
SHOW TBLPROPERTIES w ('team');
--> key string | value string
--> team | it
ALTER VIEW nope AS SELECT 1 AS a;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
ALTER VIEW nope RENAME TO v;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
