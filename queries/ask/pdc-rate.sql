-- How fast are packet delivery contexts set up, and how many are open at a time?
-- Those whose first SYN was seen, per interval; at several taps, where it was
-- seen first.
--
-- param job count NULL  only this job
-- param width duration 1ms  length of an interval
-- param limit count 1000  maximum number of rows
-- column start_ns time  begin of the interval
-- column opened count  contexts opened in it
-- column closed count  contexts closed in it
-- column living count  open at its end
-- column per_second real  opened, per second
-- column handshake_ns duration  first SYN to first answer, on average
--
-- uses flow-once
-- example fabscope query DB pdc-rate --param width=10ms
WITH o AS MATERIALIZED (
  SELECT min(p.opened_ns) AS opened_ns,
         max(ifnull(p.closed_ns, CASE p.state WHEN 'error'
                                 THEN f.last_ns END)) AS closed_ns,
         max(p.handshake_ns) AS handshake_ns
    FROM pdc p /*scan*/
    JOIN flow f ON f.id = p.flow_id
    JOIN flow_once k ON k.flow_id = f.id
   WHERE p.role = 'initiator' AND p.opened_ns IS NOT NULL
     AND (:job IS NULL OR f.job_id = :job)
   GROUP BY k.counted_id),
t AS (
  SELECT opened_ns / :width AS slot, 1 AS opened, 0 AS closed, handshake_ns
    FROM o
  UNION ALL
  SELECT closed_ns / :width, 0, 1, NULL FROM o WHERE closed_ns IS NOT NULL)
SELECT slot * :width AS start_ns, sum(opened) AS opened,
       sum(closed) AS closed,
       sum(sum(opened) - sum(closed)) OVER (ORDER BY slot) AS living,
       1e9 * sum(opened) / :width AS per_second,
       CAST(avg(handshake_ns) AS INTEGER) AS handshake_ns
  FROM t
 GROUP BY slot
 ORDER BY slot
 LIMIT :limit
