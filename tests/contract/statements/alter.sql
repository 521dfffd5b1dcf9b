-- case: columns come
CREATE TABLE t (a INT) USING {format};
INSERT INTO t VALUES (1);
--> 1 inserted
-- unlike Spark: files take rows alone; columns, properties and single rows are not changed (reference/formats)
ALTER TABLE t ADD COLUMNS (b STRING COMMENT 'new', c INT);
--> done
-->[files] refused UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
-->[spark] done
INSERT INTO t VALUES (2, 'x', 3);
--> 1 inserted
SELECT * FROM t ORDER BY a;
--> a int | b string | c int
--> 1 | NULL | NULL
--> 2 | x | 3
ALTER TABLE t ADD COLUMN A INT;
--> error COLUMN_ALREADY_EXISTS 42711
DESCRIBE t;
--> col_name string | data_type string | comment string
--> a | int | NULL
--> b | string | new
--> c | int | NULL

-- case: columns go, and have other names and types
CREATE TABLE t (a INT, b STRING, c INT) USING {format};
INSERT INTO t VALUES (1, 'x', 2);
--> 1 inserted
ALTER TABLE t DROP COLUMN c;
--> done
-->[files] refused UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
ALTER TABLE t RENAME COLUMN b TO d;
ALTER TABLE t ALTER COLUMN a TYPE BIGINT;
ALTER TABLE t ALTER COLUMN d FIRST;
SELECT * FROM t;
--> d string | a bigint
--> x | 1
ALTER TABLE t DROP COLUMN nope;
--> error UNRESOLVED_COLUMN.WITH_SUGGESTION 42703
ALTER TABLE t RENAME COLUMN nope TO e;
--> error UNRESOLVED_COLUMN.WITH_SUGGESTION 42703
ALTER TABLE t RENAME COLUMN a TO d;
--> error COLUMN_ALREADY_EXISTS 42711

-- case: another name
CREATE TABLE t (a INT) USING {format};
CREATE TABLE taken (a INT) USING {format};
INSERT INTO t VALUES (1);
--> 1 inserted
ALTER TABLE t RENAME TO taken;
--> error TABLE_OR_VIEW_ALREADY_EXISTS 42P07
ALTER TABLE t RENAME TO u;
SELECT * FROM u;
--> a int
--> 1
SELECT * FROM {schema}.t;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
ALTER TABLE nope RENAME TO v;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01

-- case: properties
CREATE TABLE t (a INT) USING {format} TBLPROPERTIES ('team' = 'it');
-- unlike Spark: files take rows alone; columns, properties and single rows are not changed (reference/formats)
ALTER TABLE t SET TBLPROPERTIES ('floor' = '3');
--> done
-->[files] refused UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
-->[spark] done
SHOW TBLPROPERTIES t ('floor');
--> key string | value string
--> floor | 3
ALTER TABLE t UNSET TBLPROPERTIES ('team');
-- unlike Spark: what is not there is told unless IF EXISTS is said, as in Delta Lake
ALTER TABLE t UNSET TBLPROPERTIES ('team');
--> error UNSET_NONEXISTENT_PROPERTIES 42K0J
-->[spark] done
ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('team');
--> nothing to do
SHOW TBLPROPERTIES t ('team');
--> key string | value string
--> team | Table {catalog}.{schema}.t does not have property: team

-- case: comments
CREATE TABLE t (a INT) USING {format};
COMMENT ON TABLE t IS 'all of it';
ALTER TABLE t ALTER COLUMN a COMMENT 'the key';
DESCRIBE t;
--> col_name string | data_type string | comment string
--> a | int | the key
COMMENT ON TABLE nope IS 'x';
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
COMMENT ON SCHEMA nope_schema IS 'x';
--> error SCHEMA_NOT_FOUND 42704
ALTER TABLE nope ADD COLUMN a INT;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
