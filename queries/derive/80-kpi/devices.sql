-- How busy were the switches, and what power did they draw?
-- What they say of themselves (--evidence): the readings while the capture ran, with
-- the last before it and the first behind it.  A device whose address is in the
-- capture is a host.
--
-- into kpi
WITH t AS (
  SELECT min(first_ns) AS a, max(last_ns) AS b FROM tap WHERE packets > 0),
r AS MATERIALIZED (
  SELECT coalesce(s.node, s.device, s.path) AS device, ifnull(s.port, '') AS part,
         c.name, c.meaning, c.at_ns, c.value, s.kind
    FROM counter c /*scan*/
    JOIN evidence_source s ON s.id = c.source_id
   WHERE c.meaning IN ('cpu_idle', 'cpu_used', 'cpu_unused', 'memory_total',
                       'memory_used', 'memory_unused', 'power')
     AND s.address IS NULL
     AND ifnull(s.node, '') NOT IN (SELECT node FROM node_address)),
-- the stretch of a series that has the capture in it
edge AS (
  SELECT r.device, r.part, r.name,
         max(r.at_ns) FILTER (WHERE r.at_ns <= t.a) AS low,
         min(r.at_ns) FILTER (WHERE r.at_ns >= t.b) AS high
    FROM r, t GROUP BY r.device, r.part, r.name),
near AS MATERIALIZED (
  SELECT r.* FROM r
    JOIN edge e ON e.device = r.device AND e.part = r.part AND e.name = r.name
   WHERE r.at_ns IS NULL
      OR (r.at_ns >= ifnull(e.low, r.at_ns) AND r.at_ns <= ifnull(e.high, r.at_ns))),
-- used parts of 1, at a time or all the time
busy AS (
  SELECT device, at_ns, avg(CASE meaning WHEN 'cpu_used' THEN value
                                 ELSE 1000000 - value END) / 1e6 AS used, 1 AS n
    FROM near WHERE meaning IN ('cpu_used', 'cpu_unused')
   GROUP BY device, at_ns
  UNION ALL
  SELECT device, NULL, avg(1 - idle), sum(n)
    FROM (SELECT device, count(*) AS n,
                 1.0 * (max(value) - min(value)) / (max(at_ns) - min(at_ns)) AS idle
            FROM near WHERE meaning = 'cpu_idle'
           GROUP BY device, part, name
          HAVING max(at_ns) > min(at_ns))
   GROUP BY device),
cpu AS (
  SELECT device, min(1, max(0, avg(used))) AS used, max(used) AS peak, sum(n) AS n
    FROM busy GROUP BY device),
filled AS (
  SELECT a.device, a.at_ns,
         1.0 * coalesce(max(u.value), max(a.value) - max(f.value)) / max(a.value)
           AS used
    FROM near a
    LEFT JOIN near u ON u.device = a.device AND u.part = a.part
                    AND u.at_ns IS a.at_ns AND u.meaning = 'memory_used'
    LEFT JOIN near f ON f.device = a.device AND f.part = a.part
                    AND f.at_ns IS a.at_ns AND f.meaning = 'memory_unused'
   WHERE a.meaning = 'memory_total' AND a.value > 0
   GROUP BY a.device, a.part, a.at_ns
  UNION ALL
  SELECT u.device, u.at_ns, 1.0 * u.value / (u.value + f.value)
    FROM near u
    JOIN near f ON f.device = u.device AND f.part = u.part AND f.at_ns IS u.at_ns
               AND f.meaning = 'memory_unused'
   WHERE u.meaning = 'memory_used' AND u.value + f.value > 0
     AND NOT EXISTS (SELECT 1 FROM near a WHERE a.device = u.device
                        AND a.part = u.part AND a.meaning = 'memory_total')),
memory AS (
  SELECT device, avg(used) AS used, max(used) AS peak, count(*) AS n
    FROM filled WHERE used IS NOT NULL GROUP BY device),
-- of its power supplies together, or of what else says so, whichever is more
power AS (
  SELECT device, max(mw) / 1e3 AS w, sum(n) AS n
    FROM (SELECT device, name, sum(mw) AS mw, sum(n) AS n
            FROM (SELECT device, name, part, avg(value) AS mw, count(*) AS n
                    FROM near WHERE meaning = 'power'
                   GROUP BY device, name, part)
           GROUP BY device, name)
   GROUP BY device),
-- by least squares, of all readings: an hour of them, at least
held AS (
  SELECT r.device, (r.at_ns - b.first_ns) / 3.6e12 AS x, r.value / 1e6 AS y
    FROM r
    JOIN (SELECT device, part, name, min(at_ns) AS first_ns
            FROM r WHERE meaning = 'memory_used'
           GROUP BY device, part, name
          HAVING max(at_ns) - min(at_ns) >= 3600000000000 AND count(*) > 2) b
      ON b.device = r.device AND b.part = r.part AND b.name = r.name
   WHERE r.meaning = 'memory_used'),
grew AS (
  SELECT device, count(*) AS n,
         (count(*) * sum(x * y) - sum(x) * sum(y))
           / (count(*) * sum(x * x) - sum(x) * sum(x)) AS slope
    FROM held GROUP BY device),
-- each of them is looked at once: SQLite reads what a query names as often as it
-- is named, and what that names
busiest AS (
  SELECT device, used, peak, count(*) OVER () AS devices, sum(n) OVER () AS n
    FROM cpu ORDER BY used DESC, device LIMIT 1),
fullest AS (
  SELECT device, used, peak, count(*) OVER () AS devices, sum(n) OVER () AS n
    FROM memory ORDER BY used DESC, device LIMIT 1),
drawn AS (
  SELECT device, w, sum(w) OVER () AS all_w, sum(n) OVER () AS n
    FROM power ORDER BY w DESC, device LIMIT 8),
all_drawn AS (
  SELECT max(all_w) AS w, max(n) AS n,
         'sum of ' || plural(count(*), 'device') || ': '
           || group_concat(device || ' ' || printf('%.0f W', w), ', ') AS note
    FROM drawn HAVING count(*) > 0),
grew_most AS (
  SELECT device, slope, count(*) OVER () AS devices, sum(n) OVER () AS n
    FROM grew ORDER BY slope DESC, device LIMIT 1),
needs(text) AS (VALUES('switch telemetry (gNMI, SNMP, Prometheus): --evidence'))
SELECT 'Switch CPU Utilization' AS name, '4.3' AS section, 1 AS place,
       100 * used AS value, '%' AS unit,
       iif(device IS NULL, 'NO', 'TEL') AS class,
       0.8 AS confidence, text AS missing,
       device || ', the busiest of ' || devices || ': mean; highest reading '
         || printf('%.1f %%', 100 * peak) AS note,
       n AS samples
  FROM needs LEFT JOIN busiest
UNION ALL
SELECT 'Switch Memory Utilization', '4.3', 2, 100 * used, '%',
       iif(device IS NULL, 'NO', 'TEL'), 0.8, text,
       device || ', the fullest of ' || devices || ': mean; highest reading '
         || printf('%.1f %%', 100 * peak), n
  FROM needs LEFT JOIN fullest
UNION ALL
SELECT 'Power Consumption', '4.3', 6, w, 'W', iif(note IS NULL, 'NO', 'TEL'), 0.7,
       text, note, n
  FROM needs LEFT JOIN all_drawn
UNION ALL
SELECT 'Memory growth of switch processes', '12.2', 1, slope, 'MB/h',
       iif(device IS NULL, 'NO', 'TEL'), 0.6, text || ', for an hour or longer',
       device || ', the most of ' || devices
         || ': all of its memory in use, not by process', n
  FROM needs LEFT JOIN grew_most
