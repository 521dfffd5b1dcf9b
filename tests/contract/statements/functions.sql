-- case: functions that come with it
-- unlike Spark: other words, and no class
DESCRIBE FUNCTION abs;
--> function_desc string
--> Function: abs
--> Usage: abs(number) - Returns a type that follows from its arguments.
-->[spark] function_desc string
-->[spark] Function: abs
-->[spark] Class: org.apache.spark.sql.catalyst.expressions.Abs
-->[spark] Usage: abs(expr) - Returns the absolute value of the numeric or interval value.
SELECT upper('a') AS a, length('abc') AS b, coalesce(NULL, 1) AS c;
--> a string | b int | c int
--> A | 3 | 1
SELECT nope_function(1);
--> error UNRESOLVED_ROUTINE 42883
DESCRIBE FUNCTION nope_function;
--> error UNRESOLVED_ROUTINE 42883
