-- Two results that lie side by side in the tables compared_*: which flow is
-- which, and which differences are significant.

-- Hosts are called by name where both topology files name all of them.
UPDATE compared_flow
   SET way = CASE WHEN (SELECT count(src_name) = count(*)
                               AND count(dst_name) = count(*)
                          FROM compared_flow)
                  THEN src_name || ' > ' || dst_name
                  ELSE src || ' > ' || dst END;

CREATE INDEX compared_by_number ON compared_flow(way, number);
CREATE INDEX compared_by_flow ON compared_flow(side, flow_id);

-- Flows are the same by their numbers, else by their role: the nth of what is
-- left of their way.
UPDATE compared_flow SET match = way || ', ' || number, how = 'number'
 WHERE EXISTS (SELECT 1 FROM compared_flow o
                WHERE o.side <> compared_flow.side
                  AND o.transport = compared_flow.transport
                  AND o.way = compared_flow.way
                  AND o.number = compared_flow.number);
UPDATE compared_flow SET match = way || ' #' || r.rank, how = 'role'
  FROM (SELECT rowid AS id,
               row_number() OVER (PARTITION BY side, transport, way
                                      ORDER BY nth) AS rank
          FROM compared_flow WHERE match IS NULL) r
 WHERE compared_flow.rowid = r.id;

-- Values of the first against values of the second by the rank sum test of Mann
-- and Whitney (two-sided, ties corrected), with p times the number of tests
-- (Bonferroni).  What is in order of time may resemble what was just before: r
-- is by how much, where that is more than 1.645 deviations of what chance gives
-- (1 / sqrt(n)), and such values count as fewer, (1 - r) / (1 + r) of them.  One
-- of many flows or links must also have moved further than these are apart: 3
-- standard deviations, estimated by the median deviation.  Tails differ where of
-- what is better low three values at least lie 20 % beyond all of the other
-- side and 10 of its deviations from its median, less than 5 % by chance: the
-- highest all of one side.
INSERT INTO compared_test(metric, subject, unit, a_n, a_median, a_mad, b_n,
                          b_median, b_mad, tail, change, p, verdict, better)
WITH s AS MATERIALIZED (
  SELECT c.side, c.metric, ifnull(coalesce(c.subject, f.match), '') AS subject,
         c.nth, c.unit, c.better, c.value
    FROM compared_sample c
    LEFT JOIN compared_flow f ON f.side = c.side AND f.flow_id = c.flow_id
   WHERE c.value IS NOT NULL AND (c.flow_id IS NULL OR f.match IS NOT NULL)),
d AS (
  SELECT side, metric, subject,
         value - avg(value) OVER one AS x,
         lag(value) OVER (one ORDER BY nth) - avg(value) OVER one AS before
    FROM s WHERE nth IS NOT NULL
  WINDOW one AS (PARTITION BY side, metric, subject)),
r AS (
  SELECT metric, subject,
         max(0, min(0.9, max(CASE WHEN r * r * n > 2.7 THEN r END))) AS r
    FROM (SELECT metric, subject, sum(x * before) / nullif(sum(x * x), 0) AS r,
                 count(*) AS n
            FROM d GROUP BY side, metric, subject)
   GROUP BY metric, subject),
g AS MATERIALIZED (
  SELECT metric, subject, max(unit) AS unit, max(better) AS better,
         sum(side = 'a') AS na, sum(side = 'b') AS nb,
         median(value) FILTER (WHERE side = 'a') AS ma,
         median(value) FILTER (WHERE side = 'b') AS mb,
         avg(value) FILTER (WHERE side = 'a') AS aa,
         avg(value) FILTER (WHERE side = 'b') AS ab,
         mad(value) FILTER (WHERE side = 'a') AS da,
         mad(value) FILTER (WHERE side = 'b') AS db,
         max(value) FILTER (WHERE side = 'a') AS xa,
         max(value) FILTER (WHERE side = 'b') AS xb,
         rank_sum_p(side = 'b', value, ifnull((1 + r) / (1 - r), 1)) AS p,
         rank_sum_same(side = 'b', value) AS same
    FROM s LEFT JOIN r USING (metric, subject) GROUP BY metric, subject),
far AS (
  SELECT g.metric, g.subject,
         sum(s.side = 'b' AND s.value > max(1.2 * xa, ma + 10 * da)) AS fb,
         sum(s.side = 'a' AND s.value > max(1.2 * xb, mb + 10 * db)) AS fa
    FROM g JOIN s USING (metric, subject)
   WHERE na >= 8 AND nb >= 8 AND g.better = 'low' AND ma > 0 AND mb > 0
   GROUP BY g.metric, g.subject),
tails AS (
  SELECT metric, subject,
         CASE WHEN fb >= 3 AND pow(1.0 * nb / (na + nb), fb) < 0.05 THEN 'b'
              WHEN fa >= 3 AND pow(1.0 * na / (na + nb), fa) < 0.05 THEN 'a'
              END AS tail
    FROM far JOIN g USING (metric, subject)),
c AS (
  SELECT *, CASE WHEN ma = 0 AND mb = 0 THEN aa ELSE ma END AS ca,
         CASE WHEN ma = 0 AND mb = 0 THEN ab ELSE mb END AS cb,
         min(1, p * (SELECT count(*) FROM g WHERE na >= 8 AND nb >= 8)) AS q
    FROM g),
-- how much flows, links, ... of one result differ from each other
o AS (
  SELECT metric, 4.4 * max(mad(ca), mad(cb)) AS usual_difference
    FROM c WHERE na >= 8 AND nb >= 8
   GROUP BY metric HAVING count(*) >= 4),
v AS (
  SELECT *,
         CASE WHEN same THEN 'same'
              WHEN na < 8 OR nb < 8 THEN 'cannot tell'
              WHEN q < 0.01 AND abs(ca - cb) >= 0.1 * max(abs(ca), abs(cb))
               AND abs(ca - cb) > ifnull(usual_difference, 0)
              THEN 'different'
              WHEN t.tail IS NOT NULL THEN 'different'
              ELSE 'not significant' END AS verdict, t.tail
    FROM c LEFT JOIN o USING (metric)
    LEFT JOIN tails t USING (metric, subject))
SELECT metric, nullif(subject, ''), unit, na AS a_n, ca AS a_median,
       da AS a_mad, nb AS b_n, cb AS b_median, db AS b_mad, tail,
       (cb - ca) / nullif(abs(ca), 0) AS change,
       CASE WHEN na >= 8 AND nb >= 8 THEN q END AS p, verdict,
       CASE WHEN tail IS NOT NULL THEN iif(tail = 'a', 'b', 'a')
            WHEN verdict = 'different' AND better IS NOT NULL
            THEN CASE WHEN (cb > ca) = (better = 'high') THEN 'b'
                      ELSE 'a' END END AS better
  FROM v;
