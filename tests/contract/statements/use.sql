-- case: where names are looked for
CREATE SCHEMA {schema}_b;
CREATE TABLE {schema}_b.t (a INT) USING {format};
SELECT current_schema() AS s, current_catalog() AS c;
--> s string | c string
--> {schema} | {catalog}
USE {schema}_b;
SELECT current_schema() AS s, current_database() AS d;
--> s string | d string
--> {schema}_b | {schema}_b
SELECT * FROM t;
--> a int
USE SCHEMA {schema};
USE {catalog}.{schema}_b;
SHOW CURRENT SCHEMA;
--> catalog string | namespace string
--> {catalog} | {schema}_b
USE nope_schema;
--> error SCHEMA_NOT_FOUND 42704
-- unlike Spark: a catalog that is not there is told as one (decision 3)
USE nope_catalog.nope;
--> error CATALOG_NOT_FOUND 42P08
-->[spark] error SCHEMA_NOT_FOUND 42704
SET CATALOG nope_catalog;
--> error CATALOG_NOT_FOUND 42P08
SET CATALOG {catalog};
USE {schema};
DROP SCHEMA {schema}_b CASCADE;
