-- Can the place on the path be told where something happened?
SELECT id AS tap_id, 'path' AS what,
       CASE WHEN (SELECT count(DISTINCT place) FROM tap
                   WHERE packets_roce > 0) > 1 THEN 'partial' ELSE 'no' END
         AS verdict,
       CASE WHEN (SELECT count(DISTINCT place) FROM tap
                   WHERE packets_roce > 0) > 1
            THEN 'before, behind or between the places of capture, not which '
                 || 'switch or link'
            ELSE 'one place of capture: only whether it happened before or '
                 || 'behind it' END AS why
  FROM tap
