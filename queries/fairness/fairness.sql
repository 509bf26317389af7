-- How evenly did congested flows to one receiver share it, over time?
-- Windows hold 100 packets of a flow on average (reference 4.7), so that all
-- rates are good to a few percent; a flow under way that is silent in one
-- counts with 0.  Steps of a flow are of equal length but for the first, which
-- may be long, and is at no multiple of its length: it tells nothing.
WITH member AS MATERIALIZED (
  SELECT f.id, f.tap_id, f.dst, f.last_ns,
         ifnull((SELECT b.start_ns + b.width_ns FROM bin b
                  WHERE b.scope = 'flow' AND b.scope_id = f.id
                    AND b.start_ns = f.first_ns
                    AND b.start_ns % b.width_ns <> 0), f.first_ns) AS first_ns
    FROM congestion /*scan*/ c
    JOIN flow f ON f.id = c.flow_id),
series AS MATERIALIZED (
  SELECT m.tap_id, m.dst, m.id, b.start_ns, b.width_ns, b.bytes, b.packets
    FROM member m
    JOIN bin b ON b.scope = 'flow' AND b.scope_id = m.id
              AND b.start_ns % b.width_ns = 0),
wide AS MATERIALIZED (
  SELECT tap_id, dst,
         max(width_ns)
           * max(1, CAST(100.0 * count(*) / max(sum(packets), 1) + 0.999
                         AS INTEGER)) AS w
    FROM series GROUP BY tap_id, dst),
sums AS MATERIALIZED (
  SELECT s.tap_id, s.dst, s.id, s.start_ns / w.w AS k, w.w, sum(s.bytes) AS b
    FROM series s
    JOIN wide w ON w.tap_id = s.tap_id AND w.dst = s.dst
   GROUP BY s.tap_id, s.dst, s.id, k),
windows AS MATERIALIZED (
  SELECT tap_id, dst, k, w, sum(b) AS s, sum(1.0 * b * b) AS ss,
         min(b) AS least, max(b) AS most
    FROM sums GROUP BY tap_id, dst, k),
-- Flows under way in a window: those that began by then, less those that had
-- ended before.
step AS (
  SELECT m.tap_id, m.dst, m.first_ns / w.w AS k, 1 AS more
    FROM member m
    JOIN wide w ON w.tap_id = m.tap_id AND w.dst = m.dst
  UNION ALL
  SELECT m.tap_id, m.dst, max(m.last_ns / w.w + 1, m.first_ns / w.w), -1
    FROM member m
    JOIN wide w ON w.tap_id = m.tap_id AND w.dst = m.dst),
present AS MATERIALIZED (
  SELECT *
    FROM (SELECT tap_id, dst, k, w, s, ss, least, most,
                 sum(more) OVER (PARTITION BY tap_id, dst ORDER BY k) AS n
            FROM (SELECT tap_id, dst, k, w, s, ss, least, most, 0 AS more
                    FROM windows
                  UNION ALL
                  SELECT tap_id, dst, k, NULL, NULL, NULL, NULL, NULL, more
                    FROM step))
   WHERE w IS NOT NULL)
SELECT p.tap_id, p.dst AS receiver, p.k * p.w AS start_ns, p.w AS window_ns,
       p.n AS flows, p.s AS bytes, p.least AS bytes_min, p.most AS bytes_max,
       1.0 * p.s * p.s / (p.n * p.ss) AS jfi,
       (SELECT count(*) FROM sums x
         WHERE x.tap_id = p.tap_id AND x.dst = p.dst AND x.k = p.k
           AND abs(x.b * p.n - p.s) <= 0.1 * p.s) AS even
  FROM present p
 WHERE p.n > 1
 ORDER BY 1, 2, 3
