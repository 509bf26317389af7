-- How evenly do parallel links share the load?
-- The worst group of links.  The draft's MMR counts flows, its JFI bytes.
--
-- into kpi
WITH b AS (
  SELECT max(mmr_flows) AS mmr, min(jfi) AS jfi, count(*) AS n,
         sum(whole) AS whole, max(why) AS why
    FROM balance WHERE tapped > 0)
SELECT 'ECMP Imbalance (MMR)' AS name, '4.2' AS section, 7 AS place,
       mmr AS value, 'ratio' AS unit, 'NT' AS class, 0.9 AS confidence,
       CASE WHEN n = 0 THEN 'taps at all parallel links'
            ELSE 'taps at all parallel links: ' || ifnull(why, 'no flows')
            END AS missing,
       'flows of the fullest link over the mean; the worst of '
         || plural(whole, 'group') || ' of links' AS note, whole AS samples
  FROM b
UNION ALL
SELECT 'Jain Fairness Index (JFI)', '4.2', 8, jfi, '0..1', 'NT', 0.9,
       CASE WHEN n = 0 THEN 'taps at all parallel links'
            ELSE 'taps at all parallel links: ' || ifnull(why, 'no bytes')
            END,
       'bytes per link; the worst of ' || plural(whole, 'group')
         || ' of links', whole
  FROM b
