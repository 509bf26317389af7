-- How long did packets stay in switches, in the course of time?
-- By telemetry in the packets (IFA, INT), of all flows together; percentiles are
-- within 1/16.  Only intervals with telemetry; no more of them than a
-- screen shows.
--
-- param points count 300  maximum number of intervals
-- param hops count 8  of so many hops, those with the longest stays
-- column what text  p50, p99, most (ns), congested (share)
-- column name text  switch, port out and queue; capture point
-- column start_ns time  begin of the interval
-- column width_ns duration  its length, the same everywhere
-- column value real  measured value
--
-- example fabscope query DB report/hops --param points=100
WITH some AS MATERIALIZED (
  SELECT h.telemetry_id,
         ifnull(n.name, 'switch ' || h.device_id)
           || ifnull(', ' || ifnull(e.name, 'port ' || h.egress_port), '')
           || ifnull(', queue ' || h.queue, '')
           || iif((SELECT count(*) FROM tap) > 1, ' (' || t.name || ')', '')
           AS name
    FROM hop h /*scan*/
    JOIN tap t ON t.id = h.tap_id
    LEFT JOIN node n ON n.kind = 'switch' AND n.device_id = h.device_id
    LEFT JOIN node_port e ON e.node = n.name AND e.port = h.egress_port
   WHERE h.flow_id IS NULL AND h.residence_p99_ns IS NOT NULL
   ORDER BY h.residence_p99_ns DESC, h.telemetry_id
   LIMIT :hops),
span AS MATERIALIZED (
  SELECT max(width_ns) AS ns, min(start_ns) AS first,
         max(start_ns + width_ns) AS last
    FROM telemetry_bin /*scan*/),
grid AS MATERIALIZED (
  SELECT ns * max(1, ((last - first) / ns + :points - 1) / :points) AS width
    FROM span),
level AS (
  SELECT s.telemetry_id, s.name, b.start_ns / g.width AS k, b.value,
         sum(b.packets) AS packets, sum(b.congested) AS congested,
         min(b.value_min) AS least, max(b.value_max) AS most
    FROM some s
    JOIN telemetry_bin b ON b.telemetry_id = s.telemetry_id, grid g
   WHERE b.value IS NOT NULL
   GROUP BY s.telemetry_id, k, b.value),
below AS (
  SELECT *, sum(packets) OVER (PARTITION BY telemetry_id, k ORDER BY value) AS upto,
         sum(packets) OVER (PARTITION BY telemetry_id, k) AS telling
    FROM level),
stay AS MATERIALIZED (
  SELECT name, telemetry_id, k, max(most) AS most,
         min(max(min(CASE WHEN upto > 0.5 * telling THEN value END),
                 min(least)), max(most)) AS p50,
         min(max(min(CASE WHEN upto > 0.99 * telling THEN value END),
                 min(least)), max(most)) AS p99,
         1.0 * sum(congested) / max(telling) AS congested
    FROM below GROUP BY telemetry_id, k),
series AS (
  SELECT 1 AS o, 'p50' AS what, name, k, p50 AS value FROM stay
  UNION ALL SELECT 2, 'p99', name, k, p99 FROM stay
  UNION ALL SELECT 3, 'most', name, k, most FROM stay
  UNION ALL SELECT 4, 'congested', name, k, congested FROM stay
             WHERE (SELECT max(congested) FROM stay) > 0)
SELECT t.what, t.name, t.k * g.width AS start_ns, g.width AS width_ns, t.value
  FROM series t, grid g
 ORDER BY t.o, t.name, t.k
