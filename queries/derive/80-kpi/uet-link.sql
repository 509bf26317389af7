-- 6.4, 6.5, 6.6 What do credits, trimming and link-level retry do?
-- A flow at several taps counts once, and what was cut off where most was.
--
-- into kpi
WITH trim AS (
  SELECT sum(cut) AS cut, sum(n) AS n
    FROM (SELECT max(cut) AS cut, max(n) AS n
            FROM (SELECT ifnull(k.counted_id, e.flow_id) AS counted_id,
                         sum(e.value) AS cut, count(*) AS n
                    FROM event e /*scan*/
                    LEFT JOIN same_flow k ON k.flow_id = e.flow_id
                   WHERE e.kind = 'trimmed' AND e.detail LIKE 'U5%'
                   GROUP BY ifnull(k.counted_id, e.flow_id), e.flow_id)
           GROUP BY counted_id)),
f AS (
  SELECT sum(trimmed) AS trimmed, sum(bytes) AS bytes
    FROM service /*scan*/
   WHERE transport LIKE 'UET-%'),
refused AS (
  SELECT min(ns) AS ns, sum(n) AS n
    FROM (SELECT min(r.react_min_ns) AS ns, max(r.count) AS n
            FROM nack r /*scan*/
            LEFT JOIN same_flow k ON k.flow_id = r.flow_id
           WHERE r.name LIKE 'TRIMMED%'
           GROUP BY ifnull(k.counted_id, r.flow_id), r.code)),
cr AS (
  SELECT 1.0 * sum(granted) / nullif(sum(wanted), 0) AS share, count(*) AS n
    FROM (SELECT max(p.credit_granted) AS granted,
                 max(p.credit_wanted) AS wanted
            FROM pdc p /*scan*/
            LEFT JOIN same_flow k ON k.flow_id = p.flow_id
           WHERE p.credit_wanted > 0
           GROUP BY ifnull(k.counted_id, p.flow_id))),
cb AS (
  SELECT max(longest_ns) AS ns, count(*) AS n FROM uec_credit)
SELECT 'Receiver credit utilization' AS name, '6.4' AS section, 30 AS place,
       100 * share AS value, '%' AS unit, '1T' AS class, 0.5 AS confidence,
       'PDCs that request credit' AS missing,
       'granted over requested; raw counters'
         AS note, n AS samples
  FROM cr
UNION ALL
SELECT 'LLR retry latency', '6.5', 1, NULL, 'ns', 'NO', NULL,
       'port counters: no mirror copies link-level retry', NULL, NULL
UNION ALL
SELECT 'Trimmed packets', '6.5', 2,
       CASE WHEN bytes > 0 THEN trimmed END, 'packets', '1T', 0.9,
       'Ultra Ethernet traffic', NULL, NULL
  FROM f
UNION ALL
SELECT 'Packet trimming, bytes saved', '6.5', 3,
       CASE WHEN f.bytes > 0
            THEN 100.0 * ifnull(cut, 0) / (f.bytes + ifnull(cut, 0)) END,
       '%', '1T', 0.7, 'Ultra Ethernet traffic',
       'trimmed upstream of this capture point, of the payload sent', trim.n
  FROM trim, f
UNION ALL
SELECT 'Trimming to retransmission, minimum', '6.5', 4, ns / 1e3, 'us', '1T', 0.8,
       'NACKs for trimmed packets and the retransmissions they caused', NULL, n
  FROM refused
UNION ALL
SELECT 'UEC CBFC stall, longest', '6.5', 5, ns / 1e3, 'us', '1T', 0.7,
       'credit updates of UEC CBFC in the capture',
       'no credit was used for so long: compare PFC Pause Duration', n
  FROM cb
UNION ALL
SELECT 'Head-of-line blocking by PFC, longest', '6.5', 6,
       (SELECT max(longest_ns) / 1e3 FROM stalled_flow
         WHERE part = 'victim'), 'us', 'NT', 0.7,
       'flows stalled by pauses they did not cause, and pause frames in the '
         || 'capture', NULL, (SELECT count(*) FROM stalled_flow)
