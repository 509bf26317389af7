-- When was the way of a flow paused?
-- All pauses of its priority by the port it travels to; where these are too
-- many, or the link speed is not known, the silences that lie in them.
SELECT w.flow_id, p.first_ns, p.last_ns, 'paused' AS class, '' AS part
  FROM paused_flow w /*scan*/
  JOIN pause p ON p.tap_id = w.tap_id AND p.source_mac = w.source_mac
              AND (p.priority IS NULL OR p.priority = w.priority)
 WHERE w.governed AND p.last_ns IS NOT NULL
   AND (SELECT count(*) FROM pause /*scan*/)
       * (SELECT count(*) FROM paused_flow /*scan*/ WHERE governed) < 4000000
UNION ALL
SELECT flow_id, first_ns, last_ns, 'paused', ''
  FROM stall /*scan*/
 WHERE cause = 'pause'
