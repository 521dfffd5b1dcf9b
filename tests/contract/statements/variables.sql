-- case: a value with a name
DECLARE v_{schema} INT DEFAULT 5;
SELECT v_{schema} + 1 AS a;
--> a int
--> 6
SET VARIABLE v_{schema} = 7;
SELECT v_{schema} AS a, session.v_{schema} AS b, system.session.v_{schema} AS c;
--> a int | b int | c int
--> 7 | 7 | 7
SET VAR v_{schema} = DEFAULT;
SELECT v_{schema} AS a;
--> a int
--> 5
SET VARIABLE v_{schema} = (SELECT max(CAST(id AS INT)) FROM range(3));
SELECT v_{schema} AS a;
--> a int
--> 2
DECLARE v_{schema} INT;
--> error VARIABLE_ALREADY_EXISTS 42723
DECLARE OR REPLACE VARIABLE v_{schema} STRING DEFAULT 'x';
SELECT v_{schema} AS a;
--> a string
--> x
DROP TEMPORARY VARIABLE v_{schema};
DROP TEMPORARY VARIABLE v_{schema};
--> error VARIABLE_NOT_FOUND 42883
DROP TEMPORARY VARIABLE IF EXISTS v_{schema};
--> nothing to do

-- case: several at once
DECLARE a_{schema} INT;
DECLARE b_{schema} STRING;
SET VARIABLE (a_{schema}, b_{schema}) = (SELECT 1, 'x');
SELECT a_{schema} AS a, b_{schema} AS b;
--> a int | b string
--> 1 | x
SET VARIABLE (a_{schema}, b_{schema}) = (SELECT 1, 'x' WHERE false);
SELECT a_{schema} AS a, b_{schema} AS b;
--> a int | b string
--> NULL | NULL
SET VARIABLE (a_{schema}, b_{schema}) = (SELECT CAST(id AS INT), 'x' FROM range(2));
--> error ROW_SUBQUERY_TOO_MANY_ROWS 21000
SET VARIABLE (a_{schema}, a_{schema}) = (SELECT 1, 2);
--> error DUPLICATE_ASSIGNMENTS 42701
SET VARIABLE nope_variable = 1;
--> error UNRESOLVED_VARIABLE 42883
DECLARE c_{schema} INT DEFAULT 'abc';
--> error CAST_INVALID_INPUT 22018
SET VARIABLE a_{schema} = 'abc';
--> error CAST_INVALID_INPUT 22018
