-- case: columns as they were said
CREATE TABLE t (a INT COMMENT 'the key', B STRING, c DECIMAL(5,2), d DATE) USING {format} COMMENT 'mine';
SELECT * FROM t;
--> a int | B string | c decimal(5,2) | d date
DESCRIBE t;
--> col_name string | data_type string | comment string
--> a | int | the key
--> B | string | NULL
--> c | decimal(5,2) | NULL
--> d | date | NULL
CREATE TABLE t (a INT) USING {format};
--> error TABLE_OR_VIEW_ALREADY_EXISTS 42P07
CREATE TABLE IF NOT EXISTS t (z INT) USING {format};
--> nothing to do
DROP TABLE t;
DROP TABLE t;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
DROP TABLE IF EXISTS t;
--> nothing to do
SELECT * FROM t;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01

-- case: what cannot be a table
CREATE TABLE t (a INT, A STRING) USING {format};
--> error COLUMN_ALREADY_EXISTS 42711
-- unlike Spark: one condition for every column that is not there
CREATE TABLE t (a INT) USING {format} PARTITIONED BY (nope);
--> error UNRESOLVED_COLUMN.WITHOUT_SUGGESTION 42703
-->[spark] error COLUMN_NOT_DEFINED_IN_TABLE 42703
CREATE TABLE t (a INT) USING {format} PARTITIONED BY (a);
--> error ALL_PARTITION_COLUMNS_NOT_ALLOWED KD005
-->[iceberg] done
CREATE TABLE nope.t (a INT) USING {format};
--> error SCHEMA_NOT_FOUND 42704
-- unlike Spark: a type that is none is an error of syntax
CREATE TABLE t (a NOPE) USING {format};
--> error PARSE_SYNTAX_ERROR 42601
-->[spark] error UNSUPPORTED_DATATYPE 0A000
CREATE TABLE t (a INT;
--> error PARSE_SYNTAX_ERROR 42601
SHOW TABLES IN {schema};
--> namespace string | tableName string | isTemporary boolean
-->[iceberg] namespace string | tableName string | isTemporary boolean
-->[iceberg] {schema} | t | false

-- case: NOT NULL holds
CREATE TABLE t (a INT NOT NULL, b STRING) USING {format};
-- unlike Spark: NOT NULL holds for files too; Spark forgets it
INSERT INTO t VALUES (NULL, 'x');
--> error DELTA_NOT_NULL_CONSTRAINT_VIOLATED 23502
-->[spark] done
-- unlike Spark: NOT NULL holds for files too; Spark forgets it
INSERT INTO t (b) VALUES ('x');
--> error DELTA_SCHEMA_MISMATCH 42KDG
-->[spark] done
INSERT INTO t VALUES (1, NULL);
--> 1 inserted
-- unlike Spark: as a statement above has left it
SELECT * FROM t;
--> a int | b string
--> 1 | NULL
-->[spark] a int | b string
-->[spark] 1 | NULL
-->[spark] NULL | x
-->[spark] NULL | x

-- case: defaults are filled in
-- unlike Spark: defaults are kept in the log of Delta tables
CREATE TABLE t (a INT, b STRING DEFAULT 'x', c INT DEFAULT 5) USING {format};
--> done
-->[iceberg files] refused UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
-->[spark] done
INSERT INTO t (a) VALUES (1);
--> 1 inserted
INSERT INTO t VALUES (2, DEFAULT, DEFAULT);
--> 1 inserted
SELECT * FROM t ORDER BY a;
--> a int | b string | c int
--> 1 | x | 5
--> 2 | x | 5
-- unlike Spark: a default is stored as any value is (decision 7)
CREATE TABLE u (a INT DEFAULT 'abc') USING {format};
--> error INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST KD000
-->[spark] error INVALID_DEFAULT_VALUE.DATA_TYPE 42623

-- case: a table like another
CREATE TABLE t (a INT COMMENT 'the key', b STRING) USING {format};
INSERT INTO t VALUES (1, 'x');
--> 1 inserted
CREATE TABLE u LIKE t;
SELECT * FROM u;
--> a int | b string
DESCRIBE u;
--> col_name string | data_type string | comment string
--> a | int | the key
--> b | string | NULL
CREATE TABLE u LIKE t;
--> error TABLE_OR_VIEW_ALREADY_EXISTS 42P07
CREATE TABLE IF NOT EXISTS u LIKE t;
--> nothing to do
CREATE TABLE v LIKE nope;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01

-- case: a table in place of another
CREATE TABLE t (a INT) USING {format};
INSERT INTO t VALUES (1);
--> 1 inserted
CREATE OR REPLACE TABLE t (b STRING) USING {format};
--> done
-->[files] refused UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
SELECT * FROM t;
--> b string
REPLACE TABLE nope (a INT) USING {format};
--> error TABLE_OR_VIEW_NOT_FOUND 42P01

-- case: schemas
CREATE SCHEMA {schema}_b COMMENT 'mine';
CREATE SCHEMA {schema}_b;
--> error SCHEMA_ALREADY_EXISTS 42P06
CREATE SCHEMA IF NOT EXISTS {schema}_b;
--> nothing to do
CREATE TABLE {schema}_b.t (a INT) USING {format};
DROP SCHEMA {schema}_b;
--> error SCHEMA_NOT_EMPTY 2BP01
DROP SCHEMA {schema}_b CASCADE;
DROP SCHEMA {schema}_b;
--> error SCHEMA_NOT_FOUND 42704
DROP SCHEMA IF EXISTS {schema}_b;
--> nothing to do
