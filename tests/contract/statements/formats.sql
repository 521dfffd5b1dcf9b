-- case: names of formats
CREATE TABLE t (a INT) USING nope;
--> error DATA_SOURCE_NOT_FOUND 42K02
CREATE TABLE t (a INT) USING PARQUET;
INSERT INTO t VALUES (1);
--> 1 inserted
SELECT * FROM t;
--> a int
--> 1
-- unlike Spark: there is no such format
CREATE TABLE u (a INT) USING orc;
--> error DATA_SOURCE_NOT_FOUND 42K02
-->[spark] done

-- case: text has one column
CREATE TABLE t (line STRING) USING text;
INSERT INTO t VALUES ('one'), ('two');
--> 2 inserted
SELECT * FROM t ORDER BY 1;
--> line string
--> one
--> two
CREATE TABLE u (a INT, b STRING) USING text;
--> error UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE 0A000
CREATE TABLE v (a INT) USING text;
--> error UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE 0A000
INSERT INTO v VALUES (1);
--> error TABLE_OR_VIEW_NOT_FOUND 42P01

-- case: what is read alone
-- unlike Spark: what is only read or only written is refused when the table is made; rate reads bounded rows (decision 31)
CREATE TABLE t (a BINARY) USING binary;
--> error UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
-->[spark] error DATA_SOURCE_NOT_FOUND 42K02
-- unlike Spark: what is only read or only written is refused when the table is made; rate reads bounded rows (decision 31)
CREATE TABLE u (a BINARY) USING binaryFile;
--> error UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
-->[spark] done

-- case: rows of a clock
CREATE TABLE t USING rate OPTIONS (rows '3');
-- unlike Spark: what is only read or only written is refused when the table is made; rate reads bounded rows (decision 31)
SELECT value FROM t ORDER BY value;
--> value bigint
--> 0
--> 1
--> 2
-->[spark] error UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
-- unlike Spark: what is only read or only written is refused when the table is made; rate reads bounded rows (decision 31)
INSERT INTO t VALUES (1);
--> error UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
-->[spark] error INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS 21S01

-- case: sinks have no rows to read
-- unlike Spark: what is only read or only written is refused when the table is made; rate reads bounded rows (decision 31)
CREATE TABLE t (a INT) USING noop;
--> error UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
-->[spark] error CANNOT_CREATE_DATA_SOURCE_TABLE.EXTERNAL_METADATA_UNSUPPORTED 42KDE
-- unlike Spark: what is only read or only written is refused when the table is made; rate reads bounded rows (decision 31)
CREATE TABLE u (a INT) USING console;
--> error UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
-->[spark] error CANNOT_CREATE_DATA_SOURCE_TABLE.EXTERNAL_METADATA_UNSUPPORTED 42KDE

-- case: lines that a program sends
-- unlike Spark: hosts are read where they are allowed
CREATE TABLE t USING socket OPTIONS (host 'example.org', port '9');
--> error INSUFFICIENT_PERMISSIONS 42501
-->[spark] done
-- unlike Spark: as a statement above has left it
SELECT * FROM t;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
-->[spark] error UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000

-- case: options that are unknown or impossible
-- unlike Spark: an option that is unknown or impossible is an error
CREATE TABLE t (a INT) USING csv OPTIONS (nope 'x');
--> error INVALID_OPTIONS 42K06
-->[spark] done
-- unlike Spark: an option that is unknown or impossible is an error
CREATE TABLE t (a INT) USING csv OPTIONS (header 'nope');
--> error INVALID_PARAMETER_VALUE 22023
-->[spark] error TABLE_OR_VIEW_ALREADY_EXISTS 42P07
-- unlike Spark: an option that is unknown or impossible is an error
CREATE TABLE t (a INT) USING csv OPTIONS (mode 'nope');
--> error INVALID_PARAMETER_VALUE 22023
-->[spark] error TABLE_OR_VIEW_ALREADY_EXISTS 42P07
-- unlike Spark: as a statement above has left it
SHOW TABLES IN {schema};
--> namespace string | tableName string | isTemporary boolean
-->[spark] namespace string | tableName string | isTemporary boolean
-->[spark] {schema} | t | false

-- case: a table of nested values
CREATE TABLE t (a ARRAY<INT>, s STRUCT<x: INT, y: STRING>) USING {format};
--> done
-->[csv] refused UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE 0A000
INSERT INTO t VALUES (array(1, 2), named_struct('x', 1, 'y', 'q')), (NULL, NULL);
--> 2 inserted
SELECT a, s.x AS x, s.y AS y FROM t ORDER BY x;
--> a array<int> | x int | y string
--> NULL | NULL | NULL
--> [1, 2] | 1 | q

-- case: times and bytes
CREATE TABLE t (t TIMESTAMP, n TIMESTAMP_NTZ, b BINARY) USING {format};
--> done
-->[csv] refused UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE 0A000
-- fault[delta iceberg parquet json arrow avro]: text cannot be cast to BINARY
INSERT INTO t VALUES (TIMESTAMP'2026-01-31 12:00:00.123456', TIMESTAMP_NTZ'2026-01-31 12:00:00', CAST('ab' AS BINARY));
--> 1 inserted
SELECT CAST(t AS STRING) AS t, CAST(n AS STRING) AS n, hex(b) AS b FROM t;
--> t string | n string | b string
--> 2026-01-31 12:00:00.123456 | 2026-01-31 12:00:00 | 6162

-- case: small numbers
CREATE TABLE t (a TINYINT, b SMALLINT, c FLOAT) USING {format};
INSERT INTO t VALUES (127, -32768, 0.5);
--> 1 inserted
SELECT * FROM t;
--> a tinyint | b smallint | c float
--> 127 | -32768 | 0.5
-->[iceberg] a int | b int | c float
-->[iceberg] 127 | -32768 | 0.5
-- unlike Spark: one condition for every value that is not stored as it is (decision 7)
INSERT INTO t VALUES (128, 0, 0);
--> error INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST KD000
-->[iceberg] 1 inserted
-->[spark] error CAST_OVERFLOW_IN_TABLE_INSERT 22003
