-- 8.1 to 8.4 How well does each way of balancing do?
--
-- into kpi
WITH b AS (SELECT mode, jfi, mmr_bytes FROM balance WHERE whole),
mode(mode, label, section, place) AS (
  VALUES ('ecmp', 'ECMP', '8.4', 1), ('flowlet', 'DLB (flowlet)', '8.4', 2),
         ('spray', 'packet spray', '8.4', 3)),
u AS (
  SELECT max(m.utilization) AS most, min(m.utilization) AS least,
         count(m.utilization) AS n
    FROM balance_member m),
idle AS (
  SELECT min(idle_ns) AS ns, count(*) AS n
    FROM balance_flow /*scan*/ WHERE mode = 'flowlet')
SELECT 'Per-link utilization, highest' AS name, '8.1' AS section, 1 AS place,
       100 * most AS value, '%' AS unit, 'NT' AS class, 0.9 AS confidence,
       'taps at parallel links, and their speed (--topology)' AS missing,
       NULL AS note, n AS samples
  FROM u
UNION ALL
SELECT 'Per-link utilization, lowest', '8.1', 2, 100 * least, '%', 'NT', 0.9,
       'taps at parallel links, and their speed (--topology)', NULL, n
  FROM u
UNION ALL
SELECT 'Flowlet gap timer', '8.2', 3, ns / 1e3, 'us', 'NT', 0.5,
       'flows that change links at idle gaps, and taps at these links',
       'inferred: shortest idle gap followed by a path change', n
  FROM idle
UNION ALL
SELECT 'MMR, packet spray', '8.3', 1, max(mmr_bytes), 'ratio', 'NT', 0.9,
       'sprayed traffic, and taps at all parallel links',
       'by bytes: sprayed flows are on every link', count(*)
  FROM b WHERE mode = 'spray'
UNION ALL
SELECT 'JFI, ' || m.label, m.section, m.place, min(b.jfi), '0..1', 'NT', 0.9,
       'traffic balanced by ' || m.label || ', and taps at all parallel links',
       NULL, count(b.jfi)
  FROM mode m LEFT JOIN b ON b.mode = m.mode
 GROUP BY m.mode
