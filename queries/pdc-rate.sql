-- How fast are packet delivery contexts set up, and how many live at a time?
-- Those whose first SYN was seen, per interval.
--
-- param width duration 1ms  length of an interval
-- param limit count 1000  at most so many
-- column start_ns time  begin of the interval
-- column opened count  contexts opened in it
-- column closed count  contexts closed in it
-- column living count  open at its end
-- column per_second real  opened, per second
-- column handshake_ns duration  first SYN to first answer, on average
--
-- example fabscope query DB pdc-rate --param width=10ms
WITH o AS MATERIALIZED (
  SELECT p.opened_ns, ifnull(p.closed_ns, CASE p.state WHEN 'error'
         THEN f.last_ns END) AS closed_ns, p.handshake_ns
    FROM pdc /*scan*/ p JOIN flow f ON f.id = p.flow_id
   WHERE p.role = 'initiator' AND p.opened_ns IS NOT NULL),
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
