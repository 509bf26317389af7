-- When was the path of a flow paused, and by which port?
-- The part is who paused: host, switch, or network for a deadlock of switches.
-- Where packets came all the same, either nobody obeys or the ends of the pauses
-- were not captured: nobody is named.
-- All pauses of its priority by the port it travels to; where these are too
-- many, or the link speed is not known, the stalls that lie in them.
--
-- into temp.attribution
WITH w AS (
  SELECT w.flow_id, w.tap_id, w.source_mac, w.priority,
         CASE WHEN r.ignored THEN NULL
              WHEN r.deadlock THEN 'network' ELSE r.role END AS role,
         r.priority AS asked
    FROM paused_flow w /*scan*/
    JOIN pause_sender r ON r.tap_id = w.tap_id AND r.source_mac = w.source_mac
                 AND (r.priority IS NULL OR r.priority = w.priority)
   WHERE w.governed),
n AS MATERIALIZED (
  SELECT tap_id, source_mac, priority, count(*) AS n
    FROM pause /*scan*/
   GROUP BY tap_id, source_mac, priority)
SELECT w.flow_id, p.first_ns, p.last_ns, 'paused' AS class,
       ifnull(w.role, '') AS part, 0 AS replays
  FROM w
  JOIN pause p ON p.tap_id = w.tap_id AND p.source_mac = w.source_mac
              AND p.priority IS w.asked
 WHERE p.last_ns IS NOT NULL
   AND (SELECT total(n.n) FROM w JOIN n ON n.tap_id = w.tap_id
                                     AND n.source_mac = w.source_mac
                                     AND n.priority IS w.asked) < 4000000
UNION ALL
SELECT s.flow_id, s.first_ns, s.last_ns, 'paused',
       ifnull((SELECT CASE WHEN r.ignored THEN NULL
                           WHEN r.deadlock THEN 'network' ELSE r.role END
                 FROM pause_sender r
                WHERE r.tap_id = s.tap_id AND r.source_mac = s.source_mac
                LIMIT 1), ''), 0
  FROM stall s /*scan*/
 WHERE s.cause = 'pause'
