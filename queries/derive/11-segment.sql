-- What follows for segments from how the clocks of their taps go.
-- needs segment

-- How far the clocks of two taps may be apart as their times were used.  NULL:
-- nothing ties them, or nothing bounds it.  Two that were compared with each
-- other are tied closer than by way of the reference.
CREATE TEMP TABLE clock_error AS
WITH one AS (
  SELECT c.tap_id, c.reference_tap_id, c.against_tap_id, c.method,
         max(c.error_ns + CASE WHEN c.applied THEN 0
                               ELSE abs(c.offset_ns) END) AS error_ns,
         max(c.against_error_ns + CASE WHEN c.applied THEN 0
                                       ELSE abs(c.offset_ns) END) AS near_ns,
         count(*) = count(c.error_ns) AS bounded
    FROM clock c /*scan*/ GROUP BY c.tap_id)
SELECT s.id AS segment_id,
       CASE
         WHEN f.tap_id IS NULL OR t.tap_id IS NULL
              OR f.reference_tap_id <> t.reference_tap_id THEN NULL
         WHEN f.method = 'file' AND t.method = 'file'
              AND f.against_tap_id = t.against_tap_id THEN 0
         WHEN (f.method = 'file' AND f.against_tap_id = t.tap_id)
              OR (t.method = 'file' AND t.against_tap_id = f.tap_id) THEN 0
         WHEN t.against_tap_id = f.tap_id AND t.bounded THEN t.near_ns
         WHEN f.against_tap_id = t.tap_id AND f.bounded THEN f.near_ns
         WHEN f.bounded AND t.bounded THEN f.error_ns + t.error_ns END
         AS error_ns,
       f.reference_tap_id = t.reference_tap_id
         AND f.method <> 'none' AND t.method <> 'none' AS tied
  FROM segment s /*scan*/
  LEFT JOIN one f ON f.tap_id = s.from_tap_id
  LEFT JOIN one t ON t.tap_id = s.to_tap_id;

-- Above the shortest delay clocks do not matter, as long as they run alike.
UPDATE segment AS s
   SET delay_error_ns = e.error_ns,
       (queue_p50_ns, queue_p99_ns, queue_p999_ns, queue_max_ns) =
       (SELECT s.delay_p50_ns - s.delay_min_ns, s.delay_p99_ns - s.delay_min_ns,
               s.delay_p999_ns - s.delay_min_ns,
               s.delay_max_ns - s.delay_min_ns
         WHERE e.tied)
  FROM temp.clock_error e
 WHERE e.segment_id = s.id;
UPDATE segment
   SET delay_min_ns = NULL, delay_p50_ns = NULL, delay_mean_ns = NULL,
       delay_p95_ns = NULL, delay_p99_ns = NULL, delay_p999_ns = NULL,
       delay_max_ns = NULL
 WHERE delay_error_ns IS NULL;
UPDATE segment_flow
   SET delay_min_ns = NULL, delay_p50_ns = NULL, delay_mean_ns = NULL,
       delay_p95_ns = NULL, delay_p99_ns = NULL, delay_p999_ns = NULL,
       delay_max_ns = NULL
 WHERE segment_id IN (SELECT id FROM segment WHERE delay_error_ns IS NULL);
DELETE FROM segment_delay
 WHERE segment_id IN (SELECT id FROM segment WHERE delay_error_ns IS NULL);
DROP TABLE temp.clock_error;
