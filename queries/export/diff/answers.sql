-- Is the answer another one, and which cause grew?
-- The time of the second is that for the work of the first: as many iterations,
-- or as many bytes.  Different: another verdict, a time that differs by 10 %, or a
-- cause other than the work itself that has 5 % more or less of it.  Where the
-- verdict is "undetermined" twice, how much is not known says nothing of the time.
--
-- column subject text  the capture, or a job by its first rank
-- column a_verdict text  of the first; NULL: it is not there
-- column b_verdict text  of the second
-- column a_total_ns duration  of the first
-- column b_total_ns duration  of the second, for the work of the first
-- column b_whole_ns duration  of the second, as it was
-- column work real  work of the second, by that of the first
-- column change share  second over first, less 1
-- column cause word  class of the time that changed most
-- column side text  whose time that is: needed network host unknown
-- column a_ns duration  its time in the first
-- column b_ns duration  in the second
-- column verdict text  different, same
WITH w AS (
  SELECT *, max(iterations) FILTER (WHERE side = 'a') OVER one AS na,
         max(iterations) FILTER (WHERE side = 'b') OVER one AS nb,
         max(bytes) FILTER (WHERE side = 'a') OVER one AS ba,
         max(bytes) FILTER (WHERE side = 'b') OVER one AS bb
    FROM compared_answer /*scan*/
  WINDOW one AS (PARTITION BY subject)),
x AS (
  SELECT *, iif(side = 'b', coalesce(1.0 * na / nullif(nb, 0),
                                     1.0 * ba / nullif(bb, 0), 1), 1) AS scale
    FROM w),
s AS (
  SELECT subject, class, share_side,
         total(scale * ns) FILTER (WHERE side = 'a') AS a,
         total(scale * ns) FILTER (WHERE side = 'b') AS b,
         max(verdict) FILTER (WHERE side = 'a') AS a_verdict,
         max(verdict) FILTER (WHERE side = 'b') AS b_verdict,
         max(scale * total_ns) FILTER (WHERE side = 'a') AS a_total,
         max(scale * total_ns) FILTER (WHERE side = 'b') AS b_total,
         max(total_ns) FILTER (WHERE side = 'b') AS b_whole,
         1 / max(scale) FILTER (WHERE side = 'b') AS work
    FROM x GROUP BY subject, class, share_side),
t AS (
  SELECT subject, class, share_side, a, b,
         row_number() OVER (PARTITION BY subject
                            ORDER BY abs(b - a) DESC, class, share_side) AS nth,
         max(abs(b - a)) FILTER (WHERE share_side NOT IN ('needed', 'unknown'))
           OVER one AS most,
         max(abs(b - a)) FILTER (WHERE share_side = 'unknown')
           OVER one AS unknown,
         max(a_verdict) OVER one AS a_verdict,
         max(b_verdict) OVER one AS b_verdict,
         max(a_total) OVER one AS a_total, max(b_total) OVER one AS b_total,
         max(b_whole) OVER one AS b_whole, max(work) OVER one AS work
    FROM s
  WINDOW one AS (PARTITION BY subject))
SELECT subject, a_verdict, b_verdict, CAST(a_total AS INTEGER) AS a_total_ns,
       CAST(b_total AS INTEGER) AS b_total_ns, b_whole AS b_whole_ns, work,
       b_total / nullif(a_total, 0) - 1 AS change,
       class AS cause, share_side AS side, CAST(a AS INTEGER) AS a_ns,
       CAST(b AS INTEGER) AS b_ns,
       CASE WHEN a_verdict IS b_verdict AND abs(b_total - a_total) <= 0.1 * a_total
             AND ifnull(most, 0) <= 0.05 * a_total
             AND (a_verdict = 'undetermined'
                  OR ifnull(unknown, 0) <= 0.05 * a_total)
            THEN 'same' ELSE 'different' END
         AS verdict
  FROM t
 WHERE nth = 1
 ORDER BY subject <> 'capture', subject LIMIT 300
