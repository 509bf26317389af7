-- 4.1 How much came through, and how much was dropped?
-- Table 5 of the draft.  A flow seen at several taps counts once.  The exact
-- rate needs the packets at two capture points.
--
-- into kpi
WITH f AS (
  SELECT sum(goodput) AS goodput, sum(expected) AS expected,
         sum(lost_min) AS lost_min, sum(lost_max) AS lost_max,
         nullif(max(last_ns) - min(first_ns), 0) AS ns, sum(flows) AS flows
    FROM service /*scan*/ WHERE numbered),
c AS (
  SELECT max(low_confidence) AS low,
         1.0 * sum(capture_missing) / nullif(sum(checked), 0) AS missing
    FROM coverage),
can AS (
  SELECT max(verdict <> 'no') AS loss, max(why) AS why
    FROM observability WHERE what = 'loss'),
taps AS (
  SELECT count(*) AS n FROM tap /*scan*/ WHERE packets > 0)
SELECT 'Aggregate Throughput' AS name, '4.1' AS section, 5 AS place,
       8e-3 * goodput / ns AS value, 'Tb/s' AS unit, 'NT' AS class,
       0.8 AS confidence, 'packets with payload' AS missing,
       'goodput over the whole capture, idle times of the job included; sum '
         || 'over ' || plural(taps.n, 'tapped link') AS note,
       flows AS samples
  FROM f, taps
UNION ALL
SELECT 'Packet Drop Rate', '4.1', 6,
       CASE WHEN can.loss AND NOT ifnull(c.low, 0)
            THEN 1e6 * lost_min / nullif(expected, 0) END, 'ppm', '1T', 0.8,
       CASE WHEN c.low THEN 'a better capture: not captured '
                            || human_share(c.missing)
            ELSE 'observable losses: '
                 || ifnull(can.why, 'there are no packets') END,
       'minimum, retransmitted or not; not captured: '
         || ifnull(human_share(c.missing), 'an unknown share'), expected
  FROM f, c, can
UNION ALL
SELECT 'Packet Drop Rate, maximum', '4.1', 7,
       CASE WHEN can.loss AND NOT ifnull(c.low, 0)
            THEN 1e6 * lost_max / nullif(expected, 0) END, 'ppm', '1T', 0.8,
       CASE WHEN c.low THEN 'a better capture: not captured '
                            || human_share(c.missing)
            ELSE 'observable losses: '
                 || ifnull(can.why, 'there are no packets') END,
       'maximum: every ambiguous downstream gap counts as lost', expected
  FROM f, c, can
UNION ALL
SELECT 'Packet Drop Rate, not retransmitted', '4.1', 8,
       CASE WHEN can.loss AND NOT ifnull(c.low, 0)
            THEN 1e6 * (SELECT ifnull(sum(lost_min), 0) FROM incident
                         WHERE kind = 'unrecovered')
                 / nullif(expected, 0) END, 'ppm', '1T', 0.6,
       CASE WHEN c.low THEN 'a better capture: not captured '
                            || human_share(c.missing)
            ELSE 'observable losses: '
                 || ifnull(can.why, 'there are no packets') END,
       'the definition of the draft: a reliable transport makes it nearly 0 '
         || 'by construction', expected
  FROM f, c, can
UNION ALL
SELECT 'Packet Drop Rate, between capture points', '4.1', 8,
       CASE WHEN sum(s.packets) > 0
            THEN 1e6 * sum(s.lost) / (sum(s.packets) + sum(s.lost)) END,
       'ppm', 'NT', 0.9,
       'two capture points on the path of the same packets',
       'exact: seen at one capture point, not seen at the next; ' || count(*)
         || ' segments' || CASE WHEN max(s.one_in) > 1
                                THEN ', of a sample of the packets'
                                ELSE '' END,
       sum(s.packets)
  FROM segment s /*scan*/ WHERE s.adjacent AND s.lost IS NOT NULL
