-- What did each flow get, part by part of its time?
-- From its steps of equal length: the first of all may be long, and is at no
-- multiple of its length.
--
-- into compared_sample
WITH f AS MATERIALIZED (
  SELECT f.id, min(b.start_ns) AS first_ns,
         max(b.start_ns + b.width_ns) AS last_ns, max(b.width_ns) AS width
    FROM (SELECT id FROM flow /*scan*/ WHERE payload_bytes > 0
           ORDER BY payload_bytes DESC LIMIT 500) f
    JOIN bin b ON b.scope = 'flow' AND b.scope_id = f.id
              AND b.start_ns % b.width_ns = 0
   GROUP BY f.id),
w AS (
  SELECT *, max((last_ns - first_ns) / 20, width) AS part
    FROM f WHERE last_ns - first_ns >= 2 * width)
SELECT 'throughput over time' AS metric, NULL AS subject, w.id AS flow_id,
       (b.start_ns - w.first_ns) / w.part AS nth,
       'Gb/s' AS unit, 'high' AS better, 8.0 * sum(b.bytes) / w.part AS value
  FROM w
  JOIN bin b ON b.scope = 'flow' AND b.scope_id = w.id
            AND b.start_ns % b.width_ns = 0
 GROUP BY w.id, nth
