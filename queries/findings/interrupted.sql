-- Was the reading of the input interrupted?
SELECT 'warning' AS severity, 0.99 AS confidence,
       'Interrupted: the first ' || value || ' % of the input was read'
         AS title,
       'All of this is about the packets that were read; the rest was not '
         || 'analyzed.' AS detail,
       'Analyze the capture again without interrupting it.' AS action,
       (SELECT min(first_ns) FROM capture) AS first_ns,
       (SELECT max(last_ns) FROM capture) AS last_ns,
       json_object('numbers', json_object('percent', CAST(value AS INTEGER)))
         AS evidence
  FROM meta
 WHERE key = 'interrupted'
