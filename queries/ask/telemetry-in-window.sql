-- What did switches report in a time window, hop by hop, path by path?
-- From the steps of time, those at the edges by their part.  Percentiles are
-- within 1/16.
--
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- column telemetry_id id  hop.telemetry_id, path.telemetry_id or csig.telemetry_id
-- column packets count  packets with telemetry
-- column ce count  of these, marked ECN CE when they reached the capture point
-- column congested count  of a hop: packets with its congestion bit set
-- column slowest count  of a hop: packets that no other hop kept longer
-- column least count  smallest value
-- column p50 count  median
-- column p99 count  99th percentile
-- column most count  largest value
-- column mean real  mean
--
-- example fabscope query DB telemetry-in-window --param from=1700000000000000000
WITH span(a, z) AS (
  SELECT ifnull(:from, -(1 << 62)), ifnull(:to, 1 << 62)),
step AS (
  SELECT b.*, max(b.start_ns, c.first) AS b0,
         min(b.start_ns + b.width_ns, c.last + 1) AS b1
    FROM (SELECT min(first_ns) AS first, max(last_ns) AS last FROM capture
           WHERE packets > 0) c,
         telemetry_bin b /*scan*/),
part AS (
  SELECT b.*, 1.0 * (min(b1, s.z + 1) - max(b0, s.a)) / (b1 - b0) AS part
    FROM span s, step b
   WHERE b0 < b1 AND b0 <= s.z AND b1 > s.a),
level AS (
  SELECT telemetry_id, value, sum(part * packets) AS packets,
         sum(part * ce) AS ce, sum(part * congested) AS congested,
         sum(part * slowest) AS slowest, min(value_min) AS least,
         max(value_max) AS most
    FROM part GROUP BY telemetry_id, value),
below AS (
  SELECT *, sum(packets) FILTER (WHERE value IS NOT NULL)
              OVER (PARTITION BY telemetry_id ORDER BY value) AS upto,
         sum(packets) FILTER (WHERE value IS NOT NULL)
           OVER (PARTITION BY telemetry_id) AS telling
    FROM level)
SELECT telemetry_id, CAST(round(sum(packets)) AS INTEGER) AS packets,
       CAST(round(sum(ce)) AS INTEGER) AS ce,
       CAST(round(sum(congested)) AS INTEGER) AS congested,
       CAST(round(sum(slowest)) AS INTEGER) AS slowest, min(least) AS least,
       min(max(min(CASE WHEN upto > 0.5 * telling THEN value END), min(least)),
           max(most)) AS p50,
       min(max(min(CASE WHEN upto > 0.99 * telling THEN value END),
               min(least)), max(most)) AS p99,
       max(most) AS most, sum(packets * value) / max(telling) AS mean
  FROM below
 GROUP BY telemetry_id
HAVING round(sum(packets)) > 0
 ORDER BY telemetry_id
