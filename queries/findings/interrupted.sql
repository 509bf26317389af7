-- Was the reading of the input interrupted?
SELECT 'warning' AS severity, 0.99 AS confidence,
       'Interrupted: the first ' || value || ' % of the input was read'
         AS title,
       'Everything here is about the packets that were read; the rest was not '
         || 'looked at.' AS detail,
       'Analyze the capture again and let it end.' AS action,
       (SELECT min(first_ns) FROM capture) AS first_ns,
       (SELECT max(last_ns) FROM capture) AS last_ns,
       json_object('numbers', json_object('percent', CAST(value AS INTEGER)))
         AS evidence
  FROM meta
 WHERE key = 'interrupted'
