-- How evenly did congested flows to one receiver share it, over time?
-- Windows hold 100 packets of a flow on average (reference 4.7), so that all
-- rates are good to a few percent; a flow under way that is silent in one
-- counts with 0.  Steps of a flow are of equal length but for the first, which
-- may be long, and is at no multiple of its length: it tells nothing.
WITH member AS MATERIALIZED (
  -- |g|: a receiver at a tap; numbers are sorted faster than names.
  SELECT f.id, f.tap_id, f.dst, f.last_ns,
         dense_rank() OVER (ORDER BY f.tap_id, f.dst) AS g,
         ifnull((SELECT b.start_ns + b.width_ns FROM bin b
                  WHERE b.scope = 'flow' AND b.scope_id = f.id
                    AND b.start_ns = f.first_ns
                    AND b.start_ns % b.width_ns <> 0), f.first_ns) AS first_ns
    FROM congestion /*scan*/ c
    JOIN flow f ON f.id = c.flow_id),
wide AS MATERIALIZED (
  SELECT m.g, m.tap_id, m.dst,
         max(b.width_ns)
           * max(1, CAST(100.0 * count(*) / max(sum(b.packets), 1) + 0.999
                         AS INTEGER)) AS w
    FROM member m
   CROSS JOIN bin b ON b.scope = 'flow' AND b.scope_id = m.id
                   AND b.start_ns % b.width_ns = 0
   GROUP BY m.g),
placed AS MATERIALIZED (
  SELECT m.id, m.first_ns, m.last_ns, m.g, w.w
    FROM member m
    JOIN wide w ON w.g = m.g),
sums AS MATERIALIZED (
  SELECT p.g, p.w, b.start_ns / p.w AS k, sum(b.bytes) AS b
    FROM placed p
   CROSS JOIN bin b ON b.scope = 'flow' AND b.scope_id = p.id
                   AND b.start_ns % b.width_ns = 0
   GROUP BY p.id, k),
windows AS MATERIALIZED (
  SELECT g, k, w, sum(b) AS s, sum(1.0 * b * b) AS ss, min(b) AS least,
         max(b) AS most
    FROM sums GROUP BY g, k),
-- Flows under way in a window: those that began by then, less those that had
-- ended before.
step AS (
  SELECT g, first_ns / w AS k, 1 AS more FROM placed
  UNION ALL
  SELECT g, max(last_ns / w + 1, first_ns / w), -1 FROM placed),
present AS MATERIALIZED (
  SELECT *
    FROM (SELECT g, k, w, s, ss, least, most,
                 sum(more) OVER (PARTITION BY g ORDER BY k) AS n
            FROM (SELECT g, k, w, s, ss, least, most, 0 AS more FROM windows
                  UNION ALL
                  SELECT g, k, NULL, NULL, NULL, NULL, NULL, more FROM step))
   WHERE w IS NOT NULL)
SELECT r.tap_id, r.dst AS receiver, p.k * p.w AS start_ns, p.w AS window_ns,
       p.n AS flows, p.s AS bytes, p.least AS bytes_min, p.most AS bytes_max,
       1.0 * p.s * p.s / (p.n * p.ss) AS jfi,
       (SELECT count(*) FROM sums x
         WHERE x.g = p.g AND x.k = p.k
           AND abs(x.b * p.n - p.s) <= 0.1 * p.s) AS even
  FROM present p
  JOIN wide r ON r.g = p.g
 WHERE p.n > 1
 ORDER BY 1, 2, 3
