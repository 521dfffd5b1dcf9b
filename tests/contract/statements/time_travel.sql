-- case: a version is read
CREATE TABLE t (a INT) USING {format};
INSERT INTO t VALUES (1);
--> 1 inserted
INSERT INTO t VALUES (2);
--> 1 inserted
SELECT * FROM t VERSION AS OF 1;
--> a int
--> 1
-->[iceberg] refused INVALID_TIME_TRAVEL_SPEC 42K0E
-->[files] refused UNSUPPORTED_FEATURE.TIME_TRAVEL 0A000
SELECT * FROM t VERSION AS OF 0;
--> a int
SELECT * FROM t VERSION AS OF 99;
--> error DELTA_VERSION_NOT_FOUND 22003
SELECT * FROM t TIMESTAMP AS OF '1999-01-01';
--> error DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION 42816
SELECT * FROM t TIMESTAMP AS OF 'nope';
--> error INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT 42K0E
DESCRIBE HISTORY t LIMIT 1;
--> version bigint | timestamp string | userName string | operation string | rowsAdded bigint | rowsRemoved bigint | mode string
--> 2 | * | local | WRITE | 1 | NULL | append

-- case: there has to be a table
SELECT * FROM nope VERSION AS OF 0;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
