-- case: a table's columns
CREATE TABLE t (a INT COMMENT 'the key', b DECIMAL(5,2), p STRING) USING {format} PARTITIONED BY (p);
DESCRIBE t;
--> col_name string | data_type string | comment string
--> a | int | the key
--> b | decimal(5,2) | NULL
--> p | string | NULL
--> # Partition Information | "" | ""
--> # col_name | data_type | comment
--> p | string | NULL
DESC TABLE t;
--> col_name string | data_type string | comment string
--> a | int | the key
--> b | decimal(5,2) | NULL
--> p | string | NULL
--> # Partition Information | "" | ""
--> # col_name | data_type | comment
--> p | string | NULL
DESCRIBE t b;
--> info_name string | info_value string
--> col_name | b
--> data_type | decimal(5,2)
--> comment | "NULL"
DESCRIBE t nope;
--> error COLUMN_NOT_FOUND 42703
DESCRIBE nope;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
DESCRIBE EXTENDED t;
--> col_name string | data_type string | comment string
--> a | int | the key
--> b | decimal(5,2) | NULL
--> p | string | NULL
--> # Partition Information | "" | ""
--> # col_name | data_type | comment
--> p | string | NULL
--> "" | "" | ""
--> # Detailed Table Information | "" | ""
--> Catalog | {catalog} | ""
--> Database | {schema} | ""
--> Table | t | ""
--> …
--> Type | MANAGED | ""
--> Provider | {format} | ""
--> …

-- case: a query's columns
DESCRIBE SELECT 1 AS a, 'x' AS b, CAST(1 AS DECIMAL(5,2)) AS c;
--> col_name string | data_type string | comment string
--> a | int | NULL
--> b | string | NULL
--> c | decimal(5,2) | NULL
DESCRIBE QUERY SELECT id FROM range(3);
--> col_name string | data_type string | comment string
--> id | bigint | NULL
DESCRIBE QUERY SELECT nope;
--> error UNRESOLVED_COLUMN.WITHOUT_SUGGESTION 42703

-- case: schemas, catalogs and functions
-- unlike Spark: schemas have no folder, and another owner
DESCRIBE SCHEMA {schema};
--> info_name string | info_value string
--> Catalog Name | {catalog}
--> Namespace Name | {schema}
--> Comment | ""
--> Owner | local
-->[spark] info_name string | info_value string
-->[spark] Catalog Name | {catalog}
-->[spark] Namespace Name | {schema}
-->[spark] Comment | ""
-->[spark] Location | *
-->[spark] Owner | root
DESCRIBE SCHEMA EXTENDED nope_schema;
--> error SCHEMA_NOT_FOUND 42704
-- unlike Spark: a catalog that is not there is told as one (decision 3)
DESCRIBE CATALOG nope_catalog;
--> error CATALOG_NOT_FOUND 42P08
-->[spark] error TABLE_OR_VIEW_NOT_FOUND 42P01

-- case: one partition
CREATE TABLE t (a INT, p INT) USING {format} PARTITIONED BY (p);
INSERT INTO t VALUES (1, 1);
--> 1 inserted
DESCRIBE t PARTITION (p = 1);
--> col_name string | data_type string | comment string
--> a | int | NULL
--> p | int | NULL
--> # Partition Information | "" | ""
--> # col_name | data_type | comment
--> p | int | NULL
DESCRIBE t PARTITION (p = 9);
--> error PARTITIONS_NOT_FOUND 428FT
DESCRIBE t PARTITION (a = 1);
--> error PARTITIONS_NOT_FOUND 428FT
