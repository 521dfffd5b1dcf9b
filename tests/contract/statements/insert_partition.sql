-- case: partitions with and without values
CREATE TABLE t (v INT, p INT, q STRING) USING {format} PARTITIONED BY (p, q);
-- unlike Spark: files take rows alone; columns, properties and single rows are not changed (reference/formats)
INSERT INTO t PARTITION (p = 1, q = 'a') VALUES (10), (11);
--> 2 inserted
-->[files] refused UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
-->[spark] done
INSERT INTO t PARTITION (p = 2, q) VALUES (20, 'b');
--> 1 inserted
INSERT INTO t VALUES (30, 3, NULL);
--> 1 inserted
SELECT * FROM t ORDER BY v;
--> v int | p int | q string
--> 10 | 1 | a
--> 11 | 1 | a
--> 20 | 2 | b
--> 30 | 3 | NULL
SELECT v FROM t WHERE p = 1 ORDER BY v;
--> v int
--> 10
--> 11

-- case: a partition alone is overwritten
CREATE TABLE t (v INT, p INT) USING {format} PARTITIONED BY (p);
INSERT INTO t VALUES (1, 1), (2, 2);
--> 2 inserted
-- unlike Spark: files take rows alone; columns, properties and single rows are not changed (reference/formats)
INSERT OVERWRITE t PARTITION (p = 1) VALUES (9);
--> 1 inserted
-->[files] refused UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
-->[spark] done
SELECT * FROM t ORDER BY p;
--> v int | p int
--> 9 | 1
--> 2 | 2
INSERT OVERWRITE t PARTITION (p = 1) IF NOT EXISTS VALUES (5);
--> no rows
SELECT * FROM t ORDER BY p;
--> v int | p int
--> 9 | 1
--> 2 | 2

-- case: dynamic overwriting replaces what new rows are in
CREATE TABLE t (v INT, p INT) USING {format} PARTITIONED BY (p);
INSERT INTO t VALUES (1, 1), (2, NULL);
--> 2 inserted
-- unlike Spark: a setting is told as it is kept
SET spark.sql.sources.partitionOverwriteMode = dynamic;
--> key string | value string
--> spark.sql.sources.partitionOverwriteMode | DYNAMIC
-->[spark] key string | value string
-->[spark] spark.sql.sources.partitionOverwriteMode | dynamic
-- unlike Spark: INSERT OVERWRITE replaces all rows of a table of files, or none (reference/formats)
INSERT OVERWRITE t SELECT 9, CAST(NULL AS INT);
--> 1 inserted
-->[files] refused UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
-->[spark] done
SELECT * FROM t ORDER BY v;
--> v int | p int
--> 1 | 1
--> 9 | NULL
RESET spark.sql.sources.partitionOverwriteMode;
INSERT OVERWRITE t SELECT 7, 7;
--> 1 inserted
SELECT * FROM t;
--> v int | p int
--> 7 | 7

-- case: partitions that are not there are named
CREATE TABLE t (v INT, p INT) USING {format} PARTITIONED BY (p);
-- unlike Spark: the condition of Spark's newer tables, which Delta tables are
INSERT INTO t PARTITION (nope = 1) VALUES (1);
--> error NON_PARTITION_COLUMN 42000
-->[files] error UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
-->[spark] error PARTITIONS_NOT_FOUND 428FT
-- unlike Spark: the condition of Spark's newer tables, which Delta tables are
INSERT INTO t PARTITION (v = 1) VALUES (1);
--> error NON_PARTITION_COLUMN 42000
-->[files] error UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
-->[spark] error PARTITIONS_NOT_FOUND 428FT
INSERT INTO t PARTITION (p = 1, p = 2) VALUES (1);
--> error DUPLICATE_KEY 23505
-- unlike Spark: files take rows alone; columns, properties and single rows are not changed (reference/formats)
INSERT INTO t PARTITION (p = 'abc') VALUES (1);
--> error CAST_INVALID_INPUT 22018
-->[files] error UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
-->[spark] error CAST_INVALID_INPUT 22018
-- unlike Spark: files take rows alone; columns, properties and single rows are not changed (reference/formats)
INSERT INTO t PARTITION (p = 1) VALUES (1, 2);
--> error INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS 21S01
-->[files] error UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
-->[spark] error INSERT_PARTITION_COLUMN_ARITY_MISMATCH 21S01
SELECT count(*) AS n FROM t;
--> n bigint
--> 0
