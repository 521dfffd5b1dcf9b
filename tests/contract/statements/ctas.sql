-- case: a table of a query's rows
CREATE TABLE t USING {format} AS SELECT CAST(id AS INT) AS a, CAST(id AS STRING) AS b FROM range(3);
--> 3 inserted
SELECT * FROM t ORDER BY a;
--> a int | b string
--> 0 | 0
--> 1 | 1
--> 2 | 2
CREATE TABLE t USING {format} AS SELECT 1 AS a;
--> error TABLE_OR_VIEW_ALREADY_EXISTS 42P07
CREATE TABLE IF NOT EXISTS t USING {format} AS SELECT 9 AS z;
--> nothing to do
SELECT count(*) AS n FROM t;
--> n bigint
--> 3
CREATE TABLE p USING {format} PARTITIONED BY (b) AS SELECT a, b FROM t;
--> 3 inserted
SELECT * FROM p ORDER BY a;
--> a int | b string
--> 0 | 0
--> 1 | 1
--> 2 | 2

-- case: a query that fails leaves no table
CREATE TABLE t USING {format} AS SELECT 1 / (id - 1) AS a FROM range(3);
--> error DIVIDE_BY_ZERO 22012
SHOW TABLES IN {schema};
--> namespace string | tableName string | isTemporary boolean
CREATE TABLE t USING {format} AS SELECT id AS a FROM range(3);
--> 3 inserted
SELECT count(*) AS n FROM t;
--> n bigint
--> 3

-- case: columns need names of their own
CREATE TABLE t USING {format} AS SELECT 1 AS a, 2 AS A;
--> error COLUMN_ALREADY_EXISTS 42711
CREATE TABLE t USING {format} AS SELECT nope;
--> error UNRESOLVED_COLUMN.WITHOUT_SUGGESTION 42703
CREATE TABLE t USING {format} AS SELECT * FROM nope;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
CREATE TABLE t USING nope AS SELECT 1 AS a;
--> error DATA_SOURCE_NOT_FOUND 42K02
SHOW TABLES IN {schema};
--> namespace string | tableName string | isTemporary boolean
