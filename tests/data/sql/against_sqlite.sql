-- join and group
SELECT c.name, count(*) AS n, sum(o.total) AS t FROM c JOIN o ON c.ck = o.ck
  GROUP BY c.name ORDER BY n DESC, c.name LIMIT 3

-- comma joins
SELECT n.nation, sum(i.qty) FROM c, o, i, n WHERE c.ck = o.ck AND i.ok = o.ok
  AND c.nk = n.nk AND o.status <> 'P' GROUP BY n.nation ORDER BY 1

-- comma join beside an ON
SELECT count(*) FROM c, n JOIN o ON o.status = 'F'
  WHERE c.nk = n.nk AND o.ck = c.ck

-- left join keeps
SELECT c.ck, o.ok FROM c LEFT JOIN o ON c.ck = o.ck AND o.total > 500
  ORDER BY c.ck, o.ok

-- left join then filter
SELECT c.ck FROM c LEFT JOIN o ON c.ck = o.ck WHERE o.ok IS NULL
  ORDER BY 1

-- right join
SELECT c.name, o.ok FROM c RIGHT JOIN o ON c.ck = o.ck ORDER BY o.ok, c.name

-- full join
SELECT c.ck, o.ok FROM c FULL JOIN o ON c.ck = o.ck ORDER BY 1, 2

-- join on an inequality
SELECT count(*) FROM c JOIN n ON c.nk < n.nk

-- left join on an inequality
SELECT c.ck, n.nk FROM c LEFT JOIN n ON c.nk > n.nk
  ORDER BY 1, 2

-- join on OR
SELECT count(*) FROM o JOIN i ON o.ok = i.ok AND (i.qty > 5 OR o.total < 50)

-- using
SELECT ck, name, ok FROM c JOIN o USING (ck) ORDER BY ok

-- star over a using
SELECT * FROM c JOIN o USING (ck) ORDER BY ok

-- self join
SELECT a.ck, b.ck FROM c a JOIN c b ON a.nk = b.nk AND a.ck < b.ck ORDER BY 1, 2

-- three way
SELECT x.nation, count(DISTINCT c.ck) FROM n x LEFT JOIN c ON c.nk = x.nk
  LEFT JOIN o ON o.ck = c.ck GROUP BY x.nation ORDER BY x.nation

-- cross join
SELECT count(*) FROM c CROSS JOIN n

-- exists
SELECT ck FROM c WHERE EXISTS (SELECT 1 FROM o WHERE o.ck = c.ck AND o.total > 800)
  ORDER BY ck

-- not exists
SELECT ck FROM c WHERE NOT EXISTS (SELECT * FROM o WHERE o.ck = c.ck)
  ORDER BY ck

-- in
SELECT ok FROM o WHERE ck IN (SELECT ck FROM c WHERE name = 'ada') ORDER BY ok

-- not in with nulls
SELECT nk FROM n WHERE nk NOT IN (SELECT nk FROM c)

-- not in without nulls
SELECT nk FROM n WHERE nk NOT IN (SELECT nk FROM c WHERE nk IS NOT NULL)
  ORDER BY 1

-- in over groups
SELECT ok FROM o WHERE ok IN (SELECT ok FROM i GROUP BY ok HAVING sum(qty) > 30)
  ORDER BY ok

-- correlated aggregate
SELECT i.ok, i.qty FROM i WHERE i.qty >
  (SELECT avg(j.qty) * 1.2 FROM i j WHERE j.ok = i.ok) ORDER BY 1, 2

-- correlated count
SELECT c.ck, (SELECT count(*) FROM o WHERE o.ck = c.ck) AS n FROM c
  ORDER BY c.ck

-- correlated maximum plus one
SELECT c.ck, (SELECT max(o.total) + 1 FROM o WHERE o.ck = c.ck)
  FROM c ORDER BY c.ck

-- scalar of all
SELECT ok FROM o WHERE total = (SELECT max(total) FROM o) ORDER BY 1

-- having over a scalar
SELECT ck, sum(total) FROM o GROUP BY ck
  HAVING sum(total) > (SELECT avg(total) * 3 FROM o) ORDER BY ck

-- group by an expression
SELECT total % 7 AS r, count(*), min(total) FROM o GROUP BY total % 7
  ORDER BY r

-- group by an alias
SELECT upper(status) AS s, count(*) FROM o GROUP BY s ORDER BY s

-- group by nothing
SELECT count(*), min(total), max(total), avg(total) FROM o WHERE ok < 0

-- key twice
SELECT ck, ck + 1, count(*) FROM o GROUP BY ck ORDER BY ck

-- order by an aggregate
SELECT ck FROM o GROUP BY ck ORDER BY count(*) DESC, ck LIMIT 5

-- order by another column
SELECT name FROM c ORDER BY nk, ck DESC LIMIT 7

-- order by an expression
SELECT ok FROM o ORDER BY total % 10, ok LIMIT 9 OFFSET 4

-- distinct
SELECT DISTINCT status, ck % 3 FROM o ORDER BY 1, 2

-- distinct aggregate
SELECT status, count(DISTINCT ck), sum(DISTINCT total) FROM o GROUP BY 1 ORDER BY 1

-- filter
SELECT count(*) FILTER (WHERE total > 400), sum(total) FILTER (WHERE ck = 3) FROM o

-- case in an aggregate
SELECT status, sum(CASE WHEN total > 450 THEN 1 ELSE 0 END) FROM o
  GROUP BY status ORDER BY 1

-- derived table
SELECT d.s, max(d.t) FROM (SELECT status AS s, ck, sum(total) AS t FROM o
  GROUP BY status, ck) d GROUP BY d.s ORDER BY 1

-- cte twice
WITH t AS (SELECT ck, sum(total) AS s FROM o GROUP BY ck)
  SELECT a.ck, b.ck FROM t a JOIN t b ON a.s < b.s AND a.ck = b.ck + 1 ORDER BY 1, 2

-- cte over a cte
WITH a AS (SELECT ck, nk FROM c), b AS (SELECT nk, count(*) AS n FROM a GROUP BY nk)
  SELECT n.nation, b.n FROM n LEFT JOIN b ON n.nk = b.nk ORDER BY 1

-- cte shadows a table
WITH n AS (SELECT 1 AS nk) SELECT count(*) FROM c JOIN n ON c.nk = n.nk

-- union all
SELECT ck FROM c UNION ALL SELECT ck FROM o ORDER BY 1

-- union
SELECT ck FROM c UNION SELECT ck FROM o ORDER BY ck

-- except and intersect
SELECT ck FROM c EXCEPT SELECT ck FROM o ORDER BY 1

-- intersect
SELECT ck FROM c INTERSECT SELECT ck FROM o ORDER BY 1

-- row_number
SELECT ok, row_number() OVER (PARTITION BY status ORDER BY total DESC, ok) AS r
  FROM o ORDER BY ok

-- rank in a derived table
SELECT * FROM (SELECT ok, rank() OVER (PARTITION BY status
  ORDER BY total) AS r FROM o) x WHERE x.r <= 2 ORDER BY ok

-- running sum
SELECT ok, sum(total) OVER (PARTITION BY status ORDER BY ok) FROM o ORDER BY ok

-- running sum with ties
SELECT ok, sum(total) OVER (ORDER BY total % 5) FROM o ORDER BY ok

-- moving
SELECT ok, avg(total) OVER (ORDER BY ok ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)
  FROM o ORDER BY ok

-- share
SELECT ok, total * 1e0 / sum(total) OVER () FROM o ORDER BY ok

-- lag
SELECT ok, lag(ck) OVER (ORDER BY ok), lead(total, 2, -1) OVER (ORDER BY ok) FROM o ORDER BY ok

-- first and last
SELECT ok, first_value(total) OVER (PARTITION BY status ORDER BY ok),
  last_value(total) OVER (PARTITION BY status ORDER BY ok) FROM o ORDER BY ok

-- window over groups
SELECT status, sum(total), rank() OVER (ORDER BY sum(total) DESC) FROM o
  GROUP BY status ORDER BY 1

-- counts over
SELECT ok, count(*) OVER (PARTITION BY ck), dense_rank() OVER (ORDER BY ck) FROM o ORDER BY ok

-- null order
SELECT ck FROM o ORDER BY ck DESC, ok LIMIT 200

-- nulls in IN
SELECT ok FROM o WHERE ck IN (1, 2, NULL) ORDER BY ok

-- nulls in NOT IN
SELECT ok FROM o WHERE ck NOT IN (1, 2, NULL) ORDER BY ok

-- is distinct
SELECT count(*) FROM c a JOIN c b ON a.nk IS NOT DISTINCT FROM b.nk

-- precedence
SELECT count(*) FROM o WHERE ck IS NOT DISTINCT FROM 3 OR total < 100
  AND NOT status = 'F'

-- between and like
SELECT count(*) FROM c WHERE name LIKE '%b' OR nk BETWEEN 2 AND 3

-- coalesce and nullif
SELECT ck, coalesce(nullif(nk, 2), -1) FROM c ORDER BY ck

-- nested sub-queries
SELECT count(*) FROM o WHERE ck IN (SELECT ck FROM c WHERE nk IN
  (SELECT nk FROM n WHERE nation LIKE '%i'))

-- exists with two levels
SELECT c.ck FROM c WHERE EXISTS (SELECT 1 FROM o JOIN i ON o.ok = i.ok
  WHERE o.ck = c.ck AND i.part = 'gear') ORDER BY 1

-- limit nothing
SELECT ok FROM o ORDER BY ok LIMIT 0

-- offset past the end
SELECT ok FROM o ORDER BY ok LIMIT 5 OFFSET 1000

-- first and last of all rows
SELECT ok,
  first_value(total) OVER (PARTITION BY status ORDER BY total DESC, ok ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING),
  last_value(ck) OVER (PARTITION BY status ORDER BY ck, ok ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING),
  last_value(ok) OVER (ORDER BY total, ok DESC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
FROM o ORDER BY ok

-- first and last of the rows to come
SELECT ok,
  first_value(total) OVER (PARTITION BY status ORDER BY total DESC, ok ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING),
  last_value(ck) OVER (PARTITION BY status ORDER BY ck, ok ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING),
  last_value(ok) OVER (ORDER BY total, ok DESC ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
FROM o ORDER BY ok

-- first and last of two rows before
SELECT ok,
  first_value(total) OVER (PARTITION BY status ORDER BY total DESC, ok ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING),
  last_value(ck) OVER (PARTITION BY status ORDER BY ck, ok ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING),
  last_value(ok) OVER (ORDER BY total, ok DESC ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING)
FROM o ORDER BY ok

-- first and last of the rows so far
SELECT ok,
  first_value(total) OVER (PARTITION BY status ORDER BY total DESC, ok ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
  last_value(ck) OVER (PARTITION BY status ORDER BY ck, ok ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
  last_value(ok) OVER (ORDER BY total, ok DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
FROM o ORDER BY ok

-- windows over filtered calls
SELECT ok, sum(total) FILTER (WHERE status = 'O') OVER (PARTITION BY ck),
  count(*) FILTER (WHERE total > 400) OVER (PARTITION BY status) FROM o ORDER BY ok

-- a window over a filtered aggregate of a group
SELECT status, rank() OVER (ORDER BY sum(total) FILTER (WHERE ck > 5) DESC) FROM o GROUP BY status
ORDER BY status

-- a chain of unions of both kinds
SELECT ck FROM o UNION ALL SELECT ok FROM i UNION ALL SELECT nk FROM n
UNION SELECT ck FROM c UNION SELECT nk FROM n UNION ALL SELECT nk FROM c ORDER BY 1

-- unions of a name and a number of parts
SELECT count(*), sum(x) FROM (SELECT ck AS x FROM o UNION ALL SELECT nk FROM c
  UNION ALL SELECT nk FROM n UNION ALL SELECT ok FROM i) q

-- mixed chains of conditions
SELECT ok FROM o WHERE (ck > 5 OR ck IS NULL) AND (status = 'O' OR (status = 'F' OR total < 50))
  AND NOT (total > 800 OR (ck = 7 AND status <> 'P')) ORDER BY ok

-- the same tables within and without, linked by a third
SELECT c.name, o.ok, i.price FROM c, o, i WHERE c.ck = o.ck AND o.ok = i.ok AND i.price =
  (SELECT min(i.price) FROM i, o WHERE c.ck = o.ck AND o.ok = i.ok) ORDER BY 2, 3

-- the same table three levels deep
SELECT count(*) FROM o WHERE ck IN (SELECT ck FROM o p WHERE p.total <
  (SELECT max(total) FROM o q WHERE q.status = 'F'))

-- the same column of the same table, compared with itself from within
SELECT ok FROM o WHERE EXISTS (SELECT 1 FROM o p WHERE p.ck = o.ck AND p.ok <> o.ok
  AND p.total < o.total) ORDER BY ok

-- a self-join that contains itself
SELECT count(*) FROM o a JOIN o b ON a.ck = b.ck WHERE a.ok IN
  (SELECT x.ok FROM o x JOIN o y ON x.ck = y.ck WHERE x.total < y.total)

-- every reference with other columns and other rows
SELECT (SELECT count(*) FROM o WHERE status = 'F'), (SELECT max(total) FROM o WHERE ck = 3),
  (SELECT min(ok) FROM o), count(*) FROM o WHERE total > 450

-- a group that contains its own table
SELECT ck, sum(total) FROM o GROUP BY ck HAVING sum(total) > (SELECT sum(total) * 1.0 / 30 FROM o)
  ORDER BY 1

-- both sides of a union over one join
SELECT c.nk AS r FROM c JOIN o ON c.ck = o.ck UNION ALL
  SELECT o.total FROM c JOIN o ON c.ck = o.ck WHERE c.name = 'ada' ORDER BY 1

-- sub-queries in FROM over one table
SELECT a.ck, a.n, b.t FROM (SELECT ck, count(*) AS n FROM o GROUP BY ck) a
  JOIN (SELECT ck, sum(total) AS t FROM o GROUP BY ck) b ON a.ck = b.ck ORDER BY 1
