-- Is the answer another one, and which cause grew?
-- The time of the second is that for the work of the first: as many iterations,
-- or as many bytes.  Different: another verdict, a time that differs by 10 %, or a
-- cause other than the work itself that has 5 % more or less of it.
--
-- column subject text  the capture, or a job by its first rank
-- column a_verdict text  of the first; NULL: it is not there
-- column b_verdict text  of the second
-- column a_total_ns duration  of the first
-- column b_total_ns duration  of the second, for the work of the first
-- column change share  second over first, less 1
-- column cause word  class of the time that changed most
-- column side text  whose time that is: needed network host unknown
-- column a_ns duration  its time in the first
-- column b_ns duration  in the second
-- column verdict text  different, same
WITH w AS (
  SELECT subject,
         max(iterations) FILTER (WHERE side = 'a') AS na,
         max(iterations) FILTER (WHERE side = 'b') AS nb,
         max(bytes) FILTER (WHERE side = 'a') AS ba,
         max(bytes) FILTER (WHERE side = 'b') AS bb
    FROM compared_answer /*scan*/ GROUP BY subject),
k AS (
  SELECT subject, coalesce(1.0 * na / nullif(nb, 0),
                           1.0 * ba / nullif(bb, 0), 1) AS scale
    FROM w),
x AS MATERIALIZED (
  SELECT c.side, c.subject, c.verdict, c.class, c.share_side,
         iif(c.side = 'b', k.scale, 1) * c.total_ns AS total_ns,
         iif(c.side = 'b', k.scale, 1) * c.ns AS ns
    FROM compared_answer c /*scan*/ JOIN k ON k.subject = c.subject),
s AS (
  SELECT subject, class, share_side,
         total(ns) FILTER (WHERE side = 'a') AS a,
         total(ns) FILTER (WHERE side = 'b') AS b
    FROM x GROUP BY subject, class, share_side),
top AS (
  SELECT *, row_number() OVER (PARTITION BY subject
                               ORDER BY abs(b - a) DESC, class, share_side)
              AS nth,
         max(iif(share_side = 'needed', 0, abs(b - a)))
           OVER (PARTITION BY subject) AS most
    FROM s),
t AS (
  SELECT subject, max(verdict) FILTER (WHERE side = 'a') AS a_verdict,
         max(verdict) FILTER (WHERE side = 'b') AS b_verdict,
         max(total_ns) FILTER (WHERE side = 'a') AS a,
         max(total_ns) FILTER (WHERE side = 'b') AS b
    FROM x GROUP BY subject)
SELECT t.subject, t.a_verdict, t.b_verdict, CAST(t.a AS INTEGER) AS a_total_ns,
       CAST(t.b AS INTEGER) AS b_total_ns, t.b / nullif(t.a, 0) - 1 AS change,
       p.class AS cause, p.share_side AS side, CAST(p.a AS INTEGER) AS a_ns,
       CAST(p.b AS INTEGER) AS b_ns,
       CASE WHEN t.a_verdict IS t.b_verdict AND abs(t.b - t.a) < 0.1 * t.a
             AND p.most < 0.05 * t.a THEN 'same' ELSE 'different' END
         AS verdict
  FROM t JOIN top p ON p.subject = t.subject AND p.nth = 1
 ORDER BY t.subject <> 'capture', t.subject LIMIT 300
