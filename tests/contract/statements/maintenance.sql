-- case: small files are put together, and old ones removed
CREATE TABLE t (a INT) USING {format};
INSERT INTO t VALUES (1);
--> 1 inserted
INSERT INTO t VALUES (2);
--> 1 inserted
-- unlike Spark: Delta Lake's statement, which is not in Spark itself
OPTIMIZE t;
--> done
-->[iceberg files] refused UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
-->[spark] error PARSE_SYNTAX_ERROR 42601
SELECT * FROM t ORDER BY a;
--> a int
--> 1
--> 2
-- unlike Spark: Delta Lake's statement, which is not in Spark itself
VACUUM t DRY RUN;
--> path string | size_bytes bigint
-->[spark] error PARSE_SYNTAX_ERROR 42601
-- unlike Spark: Delta Lake's statement, which is not in Spark itself
VACUUM t;
-->[spark] error PARSE_SYNTAX_ERROR 42601
SELECT * FROM t ORDER BY a;
--> a int
--> 1
--> 2

-- case: an older version comes back
CREATE TABLE t (a INT) USING {format};
INSERT INTO t VALUES (1);
--> 1 inserted
INSERT INTO t VALUES (2);
--> 1 inserted
-- unlike Spark: Delta Lake's statement, which is not in Spark itself
RESTORE TABLE t TO VERSION AS OF 1;
--> done
-->[iceberg] refused INVALID_TIME_TRAVEL_SPEC 42K0E
-->[files] refused UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
-->[spark] error PARSE_SYNTAX_ERROR 42601
-- unlike Spark: as a statement above has left it
SELECT * FROM t ORDER BY a;
--> a int
--> 1
-->[spark] a int
-->[spark] 1
-->[spark] 2
-- unlike Spark: Delta Lake's statement, which is not in Spark itself
RESTORE TABLE t TO VERSION AS OF 99;
--> error DELTA_VERSION_NOT_FOUND 22003
-->[spark] error PARSE_SYNTAX_ERROR 42601

-- case: there has to be a table
-- unlike Spark: Delta Lake's statement, which is not in Spark itself
OPTIMIZE nope;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
-->[spark] error PARSE_SYNTAX_ERROR 42601
-- unlike Spark: Delta Lake's statement, which is not in Spark itself
VACUUM nope;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
-->[spark] error PARSE_SYNTAX_ERROR 42601
-- unlike Spark: Delta Lake's statement, which is not in Spark itself
RESTORE TABLE nope TO VERSION AS OF 0;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
-->[spark] error PARSE_SYNTAX_ERROR 42601
