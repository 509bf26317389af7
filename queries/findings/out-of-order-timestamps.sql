-- Did the clock of the capture go back?
SELECT 'info' AS severity, 0.99 AS confidence,
       plural(sum(timestamp_regressions), 'out-of-order timestamp')
         || ' at ' || plural(count(*), 'tap') AS title,
       'Packets carry a time before that of their predecessor. Their order in '
         || 'the file was kept; durations there are not exact.'
         || ifnull(' The longest step back is '
                   || human_ns(max(back_from_ns - back_to_ns)) || '.', '')
         AS detail,
       'If files of several capture points were appended to each other, analyze '
         || 'the files themselves, or merge them by time (mergecap without -a); '
         || 'reordercap sorts the packets of one.' AS action,
       CASE count(*) WHEN 1 THEN max(id) END AS tap_id,
       json_object('numbers',
                   json_object('timestamp_regressions',
                               sum(timestamp_regressions)),
                   'query', 'fabscope query DB capture-quality') AS evidence
  FROM tap
 WHERE timestamp_regressions > 0
HAVING count(*) > 0
