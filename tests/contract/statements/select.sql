-- case: a query without a table
SELECT 1 AS a, 'x' AS b, CAST(1.5 AS DECIMAL(5,2)) AS c, DATE'2026-01-31' AS d, true AS e;
--> a int | b string | c decimal(5,2) | d date | e boolean
--> 1 | x | 1.50 | 2026-01-31 | true
-- unlike Spark: headings are as typed (decision 9)
SELECT 1, 'x', 1 + 1;
--> 1 int | 'x' string | 1 + 1 int
--> 1 | x | 2
-->[spark] 1 int | x string | (1 + 1) int
-->[spark] 1 | x | 2
SELECT NULL AS a;
--> a void
--> NULL
SELECT CAST(TIMESTAMP'2026-01-31 12:00:00' AS STRING) AS t, 1.5D AS d, 5L AS l;
--> t string | d double | l bigint
--> 2026-01-31 12:00:00 | 1.5 | 5

-- case: rows of a table in every format
CREATE TABLE t (id INT, name STRING, amount DECIMAL(10,2), day DATE, ok BOOLEAN, x DOUBLE, big BIGINT) USING {format};
INSERT INTO t VALUES (1, 'a', 1.50, DATE'2026-01-31', true, 0.5D, 5000000000L), (2, NULL, NULL, NULL, NULL, NULL, NULL), (3, 'c', -2.25, DATE'1999-12-31', false, -1.0D, -1L);
--> 3 inserted
SELECT * FROM t ORDER BY id;
--> id int | name string | amount decimal(10,2) | day date | ok boolean | x double | big bigint
--> 1 | a | 1.50 | 2026-01-31 | true | 0.5 | 5000000000
--> 2 | NULL | NULL | NULL | NULL | NULL | NULL
--> 3 | c | -2.25 | 1999-12-31 | false | -1.0 | -1
SELECT name, amount FROM t WHERE amount > 0 OR name IS NULL ORDER BY id;
--> name string | amount decimal(10,2)
--> a | 1.50
--> NULL | NULL
SELECT count(*) AS n, sum(amount) AS s, min(day) AS d, avg(x) AS m FROM t;
--> n bigint | s decimal(20,2) | d date | m double
--> 3 | -0.75 | 1999-12-31 | -0.25
SELECT ok, count(*) AS n FROM t GROUP BY ok ORDER BY ok;
--> ok boolean | n bigint
--> NULL | 1
--> false | 1
--> true | 1
SELECT id FROM t WHERE day >= DATE'2000-01-01';
--> id int
--> 1
SELECT * FROM {schema}.t WHERE id = 2;
--> id int | name string | amount decimal(10,2) | day date | ok boolean | x double | big bigint
--> 2 | NULL | NULL | NULL | NULL | NULL | NULL

-- case: names that are nowhere
CREATE TABLE t (id INT, name STRING) USING {format};
-- unlike Spark: a suggestion is made where a name is near, and the condition says whether there is one
SELECT nope FROM t;
--> error UNRESOLVED_COLUMN.WITHOUT_SUGGESTION 42703
-->[spark] error UNRESOLVED_COLUMN.WITH_SUGGESTION 42703
SELECT * FROM nope;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
SELECT * FROM nope.nope;
--> error TABLE_OR_VIEW_NOT_FOUND 42P01
-- unlike Spark: a suggestion is made where a name is near, and the condition says whether there is one
SELECT t.nope FROM t;
--> error UNRESOLVED_COLUMN.WITHOUT_SUGGESTION 42703
-->[spark] error UNRESOLVED_COLUMN.WITH_SUGGESTION 42703
-- unlike Spark: a suggestion is made where a name is near, and the condition says whether there is one
SELECT x.* FROM t;
--> error UNRESOLVED_COLUMN.WITHOUT_SUGGESTION 42703
-->[spark] error CANNOT_RESOLVE_STAR_EXPAND 42704
SELECT nope_function(id) FROM t;
--> error UNRESOLVED_ROUTINE 42883

-- case: joins and sub-queries
SELECT a.id, b.id AS other FROM range(3) AS a LEFT JOIN range(1, 5) AS b ON a.id = b.id ORDER BY a.id;
--> id bigint | other bigint
--> 0 | NULL
--> 1 | 1
--> 2 | 2
SELECT id FROM range(5) WHERE id IN (SELECT id * 2 FROM range(3)) ORDER BY id;
--> id bigint
--> 0
--> 2
--> 4
SELECT (SELECT max(id) FROM range(4)) AS m;
--> m bigint
--> 3
SELECT a.id FROM range(3) AS a WHERE EXISTS (SELECT 1 FROM range(2) AS b WHERE b.id = a.id) ORDER BY 1;
--> id bigint
--> 0
--> 1
SELECT id FROM range(2) AS a JOIN range(2) AS b ON a.id = b.id;
--> error AMBIGUOUS_REFERENCE 42704

-- case: set operations, CTEs and windows
SELECT 1 AS a UNION ALL SELECT 2 ORDER BY a;
--> a int
--> 1
--> 2
SELECT id FROM range(4) EXCEPT SELECT id FROM range(2) ORDER BY id;
--> id bigint
--> 2
--> 3
WITH w AS (SELECT id, id % 2 AS p FROM range(4)) SELECT p, sum(id) AS s FROM w GROUP BY p ORDER BY p;
--> p bigint | s bigint
--> 0 | 2
--> 1 | 4
SELECT id, row_number() OVER (ORDER BY id DESC) AS n FROM range(3) ORDER BY id;
--> id bigint | n int
--> 0 | 3
--> 1 | 2
--> 2 | 1
SELECT * FROM VALUES (1, 'a'), (2, NULL) AS v(a, b) ORDER BY a;
--> a int | b string
--> 1 | a
--> 2 | NULL
SELECT 1 AS a UNION ALL SELECT 1, 2;
--> error NUM_COLUMNS_MISMATCH 42826
WITH w AS (SELECT 1 AS a), w AS (SELECT 2 AS a) SELECT * FROM w;
--> error DUPLICATED_CTE_NAMES 42602

-- case: what cannot be computed
SELECT 1 / 0;
--> error DIVIDE_BY_ZERO 22012
SELECT CAST('abc' AS INT);
--> error CAST_INVALID_INPUT 22018
SELECT 2147483647 + 1;
--> error ARITHMETIC_OVERFLOW 22003
SELECT 9223372036854775807 + 1;
--> error ARITHMETIC_OVERFLOW 22003
-- unlike Spark: a literal is read as a cast is (decision 7)
SELECT DATE'2026-13-01';
--> error CAST_INVALID_INPUT 22018
-->[spark] error INVALID_TYPED_LITERAL 42604
SELECT CAST(300 AS TINYINT);
--> error CAST_OVERFLOW 22003
SELECT abs('x', 'y');
--> error WRONG_NUM_ARGS.WITHOUT_SUGGESTION 42605
SELECT id, count(*) FROM range(3);
--> error MISSING_GROUP_BY 42803
SELECT sum(count(*)) FROM range(3);
--> error NESTED_AGGREGATE_FUNCTION 42607
SELECT * FROM range(3) WHERE count(*) > 1;
--> error INVALID_WHERE_CONDITION 42903
-- unlike Spark: text is cast to a boolean where one is wanted, and fails by its value
SELECT 1 WHERE 'a';
--> error CAST_INVALID_INPUT 22018
-->[spark] error DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN 42K09
SELECT 1 +;
--> error PARSE_SYNTAX_ERROR 42601
SELECT (SELECT id FROM range(3));
--> error SCALAR_SUBQUERY_TOO_MANY_ROWS 21000

-- case: NULLs come first, and last when descending
SELECT a FROM VALUES (2), (NULL), (1) AS v(a) ORDER BY a;
--> a int
--> NULL
--> 1
--> 2
SELECT a FROM VALUES (2), (NULL), (1) AS v(a) ORDER BY a DESC;
--> a int
--> 2
--> 1
--> NULL
SELECT a FROM VALUES (2), (NULL), (1) AS v(a) ORDER BY a NULLS LAST LIMIT 2;
--> a int
--> 1
--> 2

-- case: EXPLAIN answers with lines of text
-- unlike Spark: the plan is ours
EXPLAIN SELECT 1 AS a;
--> plan string
--> Engine: polars. It is the default and has everything that this query uses.
--> Steps, the last one first:
--> "  Compute 1 AS a"
--> "    Start from one row without columns"
-->[spark] plan string
-->[spark] *
-- unlike Spark: EXPLAIN of what is wrong is an error (decision 13)
EXPLAIN SELECT nope;
--> error UNRESOLVED_COLUMN.WITHOUT_SUGGESTION 42703
-->[spark] plan string
-->[spark] "Error occurred during query planning: "
-->[spark] [UNRESOLVED_COLUMN.WITHOUT_SUGGESTION] A column, variable, or function parameter with name `nope` cannot be resolved.  SQLSTATE: 42703; line 1 pos 15;
-->[spark] 'Project ['nope]
-->[spark] +- OneRowRelation
