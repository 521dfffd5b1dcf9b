-- case: values are computed from the rows as they were
CREATE TABLE t (a INT, b INT, c STRING) USING {format};
INSERT INTO t VALUES (1, 10, 'x'), (2, 20, NULL);
--> 2 inserted
UPDATE t SET a = b, b = a WHERE a = 1;
--> 1 updated
-->[files] refused UNSUPPORTED_FEATURE.TABLE_OPERATION 0A000
SELECT * FROM t ORDER BY c;
--> a int | b int | c string
--> 2 | 20 | NULL
--> 10 | 1 | x
UPDATE t SET c = upper(c);
--> 2 updated
UPDATE t SET b = (SELECT CAST(max(id) AS INT) FROM range(4)) WHERE a = 2;
--> 1 updated
SELECT * FROM t ORDER BY a;
--> a int | b int | c string
--> 2 | 3 | NULL
--> 10 | 1 | X
UPDATE t SET nope = 1;
--> error UNRESOLVED_COLUMN.WITH_SUGGESTION 42703
UPDATE t SET a = 1, a = 2;
--> error COLUMN_ALREADY_EXISTS 42711
UPDATE t SET a = 'abc';
--> error INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST KD000
UPDATE t SET a = 1 WHERE nope = 1;
--> error UNRESOLVED_COLUMN.WITHOUT_SUGGESTION 42703
SELECT * FROM t ORDER BY a;
--> a int | b int | c string
--> 2 | 3 | NULL
--> 10 | 1 | X

-- case: there has to be a table
UPDATE nope SET a = 1;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
