-- Is it observable where on the path something happened?
--
-- into observability
SELECT id AS tap_id, 'path' AS what,
       CASE WHEN (SELECT count(DISTINCT place) FROM tap
                   WHERE packets_roce + packets_uet > 0) > 1
                 OR id IN (SELECT tap_id FROM hop) THEN 'partial'
            ELSE 'no' END AS verdict,
       CASE WHEN id IN (SELECT tap_id FROM hop)
            THEN 'telemetry in the packets gives the residence time in each '
                 || 'upstream switch; losses only as upstream or downstream '
                 || 'of this capture point'
            WHEN (SELECT count(DISTINCT place) FROM tap
                   WHERE packets_roce + packets_uet > 0) > 1
            THEN 'upstream, downstream or between the capture points, not '
                 || 'which switch or link'
            ELSE 'one capture point: only upstream or downstream of it' END AS why
  FROM tap
