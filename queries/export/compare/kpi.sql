-- Which KPIs does this result have?
-- Counts are made rates, so that captures of other lengths can be compared.
--
-- into compared_kpi
WITH t AS (
  SELECT nullif(max(last_ns) - min(first_ns), 0) / 1e9 AS s FROM tap /*scan*/)
SELECT k.section, k.place, k.name,
       CASE WHEN k.unit IN ('packets', 'events') OR k.name LIKE '%Pause Duration'
            THEN k.value / t.s ELSE k.value END AS value,
       CASE WHEN k.unit IN ('packets', 'events')
              OR k.name LIKE '%Pause Duration'
            THEN k.unit || '/s' ELSE k.unit END AS unit,
       k.missing
  FROM kpi k /*scan*/, t
 WHERE k.section < '5' AND k.section > '4' OR k.note IS NULL
    OR k.note NOT LIKE 'the same as %'
