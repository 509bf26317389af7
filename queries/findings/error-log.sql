-- Do logs speak of errors that the packets do not show?
-- The packets decide: the line is of another host, another time or another NIC
-- than the capture has.
-- needs error_log
SELECT 'warning' AS severity, 0.7 AS confidence,
       'A log contradicts the packets: ' || s.path || ' line '
         || min(l.line) || ' has '
         || CASE l.error WHEN 'retry' THEN 'transport retry counter exceeded'
                         WHEN 'rnr_retry' THEN 'RNR retry counter exceeded'
                         ELSE replace(l.error, '_', ' ') || ' error' END
         || ', but ' || l.reason AS title,
       plural(count(*), 'line') || ' of ' || ifnull(s.device, s.path)
         || CASE WHEN count(*) = 1 THEN ' is' ELSE ' are' END
         || ' like that. Either the capture does not have this NIC, or not all '
         || 'of its time, or the clock or the host of the log is wrong.'
         AS detail,
       'Compare the clock of this host with that of the capture, and capture '
         || 'at the link of the NIC that the line names.' AS action,
       min(l.ns) AS first_ns, max(l.ns) AS last_ns,
       json_object('numbers', json_object('lines', count(*)),
                   'query', 'fabscope query DB error-logs --param verdict='
                            || 'contradicts') AS evidence
  FROM error_log l /*scan*/
  JOIN evidence_source s ON s.id = l.source_id
 WHERE l.verdict = 'contradicts'
 GROUP BY s.path, s.device, l.error, l.reason
