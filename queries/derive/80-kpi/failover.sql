-- 11.2 How long were flows without delivery?
-- Losses repaired by a timer are what a failed link looks like; whether a link
-- failed is for the log of the switches to say.  Losses that several places saw
-- count once, at the one that saw most.
--
-- into kpi
WITH r AS (
  SELECT max(ns) AS ns, sum(lost) AS lost, ifnull(sum(n), 0) AS n
    FROM (SELECT max(ns) AS ns, max(lost) AS lost, max(n) AS n
            FROM (SELECT flow_id, max(last_ns - first_ns) AS ns,
                         sum(lost_min) AS lost, count(*) AS n
                    FROM recovery /*scan*/
                   WHERE lost_min > 0
                   GROUP BY flow_id) r
            LEFT JOIN same_flow k ON k.flow_id = r.flow_id
           GROUP BY ifnull(k.counted_id, r.flow_id))),
f AS (SELECT ifnull(sum(expected), 0) AS n FROM flow_sum /*scan*/),
low AS (SELECT max(low_confidence) AS low FROM coverage)
SELECT 'Loss duration of a flow, longest' AS name, '11.2' AS section,
       1 AS place, CASE WHEN NOT low.low THEN r.ns / 1e6 END AS value,
       'ms' AS unit, '1T' AS class, 0.6 AS confidence,
       CASE WHEN low.low THEN 'a better capture: too much was not captured'
            ELSE 'a loss: none was observed' END AS missing,
       'from the first lost packet to the end of its recovery' AS note,
       r.n AS samples
  FROM r, low
UNION ALL
SELECT 'Packets lost', '11.2', 2,
       CASE WHEN f.n > 0 AND NOT low.low THEN ifnull(r.lost, 0) END,
       'packets', '1T', 0.8,
       CASE WHEN low.low THEN 'a better capture: too much was not captured'
            ELSE 'packets with PSNs' END,
       'at least', r.n
  FROM r, f, low
