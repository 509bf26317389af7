-- The primary KPIs: how long did the job take, and what did it get?
-- Table 5 of the draft.  A flow seen at several taps counts once.
WITH one AS MATERIALIZED (
  SELECT max(goodput_bytes) AS goodput, max(expected) AS expected,
         max(lost_upstream + lost_downstream_min) AS lost_min,
         max(lost_upstream + lost_downstream_max + unresolved) AS lost_max,
         min(first_ns) AS first_ns, max(last_ns) AS last_ns
    FROM flow /*scan*/
   WHERE requests > 0 OR responses > 0
   GROUP BY transport, src, dst, dst_qp, spdcid, dpdcid, epoch),
f AS (
  SELECT sum(goodput) AS goodput, sum(expected) AS expected,
         sum(lost_min) AS lost_min, sum(lost_max) AS lost_max,
         nullif(max(last_ns) - min(first_ns), 0) AS ns, count(*) AS flows
    FROM one),
c AS (
  SELECT max(low_confidence) AS low,
         1.0 * sum(capture_missing) / nullif(sum(checked), 0) AS missing
    FROM coverage),
can AS (
  SELECT max(verdict <> 'no') AS loss, max(why) AS why
    FROM observability WHERE what = 'loss'),
taps AS (
  SELECT count(*) AS n FROM tap /*scan*/ WHERE packets > 0),
run AS (
  SELECT job, max(last_ns) - min(first_ns) AS ns, count(*) AS n
    FROM phase /*scan*/ WHERE iteration IS NOT NULL
   GROUP BY job ORDER BY ns DESC LIMIT 1)
SELECT 'Job Completion Time (JCT)' AS name, '4.1' AS section, 1 AS place,
       (SELECT ns / 1e9 FROM run) AS value, 's' AS unit, 'NT' AS class,
       0.6 AS confidence,
       'iterations: they cannot be identified in this capture' AS missing,
       (SELECT 'network JCT: first to last packet of '
               || plural(n, 'phase') || ' of job ' || job FROM run) AS note,
       (SELECT n FROM run) AS samples
UNION ALL
SELECT 'JCT Ratio', '4.1', 2, NULL, 'ratio', 'EXT', NULL,
       'computation time (C), message size (S), ranks and NIC rate of the job',
       NULL, NULL
UNION ALL
SELECT 'Aggregate Throughput', '4.1', 5, 8e-3 * goodput / ns, 'Tbit/s', 'NT',
       0.8, 'packets with payload',
       'payload without copies, over the whole capture, pauses of the job '
         || 'included; sum over ' || plural(taps.n, 'tapped link'),
       flows
  FROM f, taps
UNION ALL
SELECT 'Packet Drop Rate', '4.1', 6,
       CASE WHEN can.loss AND NOT ifnull(c.low, 0)
            THEN 1e6 * lost_min / nullif(expected, 0) END, 'ppm', '1T', 0.8,
       CASE WHEN c.low THEN 'a better capture: it misses '
                            || human_share(c.missing)
            ELSE 'losses that can be seen: '
                 || ifnull(can.why, 'there are no packets') END,
       'lost at least, whether sent again or not; the capture misses '
         || ifnull(human_share(c.missing), 'an unknown share'), expected
  FROM f, c, can
UNION ALL
SELECT 'Packet Drop Rate, at most', '4.1', 7,
       CASE WHEN can.loss AND NOT ifnull(c.low, 0)
            THEN 1e6 * lost_max / nullif(expected, 0) END, 'ppm', '1T', 0.8,
       CASE WHEN c.low THEN 'a better capture: it misses '
                            || human_share(c.missing)
            ELSE 'losses that can be seen: '
                 || ifnull(can.why, 'there are no packets') END,
       'gaps behind this point count in full', expected
  FROM f, c, can
UNION ALL
SELECT 'Packet Drop Rate, not sent again', '4.1', 8,
       CASE WHEN can.loss AND NOT ifnull(c.low, 0)
            THEN 1e6 * (SELECT ifnull(sum(lost_min), 0) FROM incident
                         WHERE kind = 'unrecovered')
                 / nullif(expected, 0) END, 'ppm', '1T', 0.6,
       CASE WHEN c.low THEN 'a better capture: it misses '
                            || human_share(c.missing)
            ELSE 'losses that can be seen: '
                 || ifnull(can.why, 'there are no packets') END,
       'the definition of the draft: a reliable transport makes it nearly 0 '
         || 'by construction', expected
  FROM f, c, can
