-- Does a mirror reorder the packets that it copies?
-- Packets straight from their sender are out of order: no switch can have done
-- that.
SELECT 'info' AS severity, 0.9 AS confidence,
       'The mirror reorders packets by up to '
         || human_ns(max(disorder_ns)) || ', at '
         || CASE count(*) WHEN 1 THEN 'tap ' || ifnull(max(name), max(id))
                          ELSE plural(count(*), 'tap') END AS title,
       'Packets that come straight from their sender are out of order there. '
         || 'Queues and reordering shorter than that are not observable.'
         AS detail,
       'Mirror fewer ports to one, or capture on the links (TAPs).' AS action,
       CASE count(*) WHEN 1 THEN max(id) END AS tap_id,
       min(first_ns) AS first_ns, max(last_ns) AS last_ns,
       json_object('numbers', json_object('disorder_ns', max(disorder_ns)),
                   'query', 'fabscope query DB taps') AS evidence
  FROM tap
 WHERE disorder_ns IS NOT NULL
HAVING count(*) > 0
