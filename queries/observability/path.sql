-- Can the place on the path be told where something happened?
SELECT id AS tap_id, 'path' AS what,
       CASE WHEN (SELECT count(DISTINCT place) FROM tap
                   WHERE packets_roce + packets_uet > 0) > 1
                 OR id IN (SELECT tap_id FROM hop) THEN 'partial'
            ELSE 'no' END AS verdict,
       CASE WHEN id IN (SELECT tap_id FROM hop)
            THEN 'telemetry in the packets tells which switches before this '
                 || 'point kept them how long; of losses only whether they '
                 || 'happened before or behind it'
            WHEN (SELECT count(DISTINCT place) FROM tap
                   WHERE packets_roce + packets_uet > 0) > 1
            THEN 'before, behind or between the places of capture, not which '
                 || 'switch or link'
            ELSE 'one place of capture: only whether it happened before or '
                 || 'behind it' END AS why
  FROM tap
