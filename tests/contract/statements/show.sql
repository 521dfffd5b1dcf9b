-- case: tables and views
CREATE TABLE ta (a INT) USING {format};
CREATE TABLE tb (a INT) USING {format};
CREATE VIEW va AS SELECT 1 AS a;
SHOW TABLES;
--> namespace string | tableName string | isTemporary boolean
--> {schema} | ta | false
--> {schema} | tb | false
--> {schema} | va | false
SHOW TABLES IN {schema} LIKE 'ta|nope';
--> namespace string | tableName string | isTemporary boolean
--> {schema} | ta | false
SHOW TABLES IN {schema} LIKE '*B';
--> namespace string | tableName string | isTemporary boolean
--> {schema} | tb | false
SHOW VIEWS;
--> namespace string | viewName string | isTemporary boolean
--> {schema} | va | false
SHOW VIEWS IN {schema} LIKE 'nope*';
--> namespace string | viewName string | isTemporary boolean
SHOW TABLES IN nope_schema;
--> error SCHEMA_NOT_FOUND 42704
SHOW TABLE EXTENDED IN {schema} LIKE 'ta';
--> namespace string | tableName string | isTemporary boolean | information string
--> {schema} | ta | false | *

-- case: columns and partitions
CREATE TABLE t (a INT, p INT, q STRING) USING {format} PARTITIONED BY (p, q);
INSERT INTO t VALUES (1, 1, 'a'), (2, 2, NULL);
--> 2 inserted
SHOW COLUMNS IN t;
--> col_name string
--> a
--> p
--> q
SHOW COLUMNS IN t IN {schema};
--> col_name string
--> a
--> p
--> q
SHOW COLUMNS IN nope;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
SHOW PARTITIONS t;
--> partition string
--> p=1/q=a
--> p=2/q=__HIVE_DEFAULT_PARTITION__
SHOW PARTITIONS t PARTITION (p = 1);
--> partition string
--> p=1/q=a
SHOW PARTITIONS t PARTITION (nope = 1);
--> error PARTITIONS_NOT_FOUND 428FT

-- case: partitions of what has none
CREATE TABLE t (a INT) USING {format};
SHOW PARTITIONS t;
--> error INVALID_PARTITION_OPERATION.PARTITION_SCHEMA_IS_EMPTY 42601
SHOW PARTITIONS nope;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01

-- case: schemas and catalogs
SHOW SCHEMAS LIKE '{schema}';
--> namespace string
--> {schema}
SHOW DATABASES LIKE '{schema}|nope';
--> namespace string
--> {schema}
-- unlike Spark: a catalog that is not there is told as one (decision 3)
SHOW SCHEMAS IN nope_catalog;
--> error CATALOG_NOT_FOUND 42P08
-->[spark] error SCHEMA_NOT_FOUND 42704
SHOW CATALOGS LIKE '{catalog}';
--> catalog string
--> {catalog}
SHOW CURRENT SCHEMA;
--> catalog string | namespace string
--> {catalog} | {schema}

-- case: functions
SHOW FUNCTIONS LIKE 'upper';
--> function string
--> upper
SHOW SYSTEM FUNCTIONS LIKE 'uppe*';
--> function string
--> upper
SHOW USER FUNCTIONS LIKE 'nope*';
--> function string

-- case: properties and definitions
CREATE TABLE t (a INT NOT NULL COMMENT 'the key', b STRING) USING {format} COMMENT 'mine';
SHOW TBLPROPERTIES t ('nope');
--> key string | value string
--> nope | Table {catalog}.{schema}.t does not have property: nope
SHOW TBLPROPERTIES nope;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
-- unlike Spark: facts of this catalog, which keeps NOT NULL, owners and other places
SHOW CREATE TABLE t;
--> createtab_stmt string
--> "CREATE TABLE {catalog}.{schema}.t (\n  a INT NOT NULL COMMENT 'the key',\n  b STRING)\nUSING {format}\nCOMMENT 'mine'\n"
-->[csv] createtab_stmt string
-->[csv] "CREATE TABLE {catalog}.{schema}.t (\n  a INT NOT NULL COMMENT 'the key',\n  b STRING)\nUSING csv\nOPTIONS (\n  'multiLine' = 'true',\n  'nullValue' = '\\\\N')\nCOMMENT 'mine'\n"
-->[spark] createtab_stmt string
-->[spark] "CREATE TABLE {catalog}.{schema}.t (\n  a INT COMMENT 'the key',\n  b STRING COLLATE UTF8_BINARY)\nUSING parquet\nCOMMENT 'mine'\n"
SHOW CREATE TABLE nope;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
CREATE VIEW v AS SELECT 1 AS a;
-- unlike Spark: facts of this catalog, which keeps NOT NULL, owners and other places
SHOW CREATE TABLE v;
--> createtab_stmt string
--> "CREATE VIEW {catalog}.{schema}.v\nAS SELECT 1 AS a\n"
-->[spark] createtab_stmt string
-->[spark] "CREATE VIEW {schema}.v (\n  a)\nWITH SCHEMA COMPENSATION\nAS SELECT 1 AS a\n"
-- unlike Spark: a statement that is not there is refused by name
SHOW NOPE;
--> error UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
-->[spark] error PARSE_SYNTAX_ERROR 42601
