-- Were there congestion marks or congestion notifications?
-- Only counted here: what they did to rates is another question.
SELECT 'info' AS severity, 0.99 AS confidence,
       CASE WHEN sum(ce) > 0
            THEN plural(sum(ce), 'packet') || ' with a congestion mark (CE)'
            ELSE '' END
         || CASE WHEN sum(ce) > 0 AND sum(packets_cnp) > 0
                 THEN ' and ' ELSE '' END
         || CASE WHEN sum(packets_cnp) > 0
                 THEN plural(sum(packets_cnp), 'congestion notification')
                      || ' (CNP)' ELSE '' END AS title,
       CASE WHEN sum(ce) > 0
            THEN human_share(1.0 * sum(ce) / nullif(sum(ce) + sum(ect), 0))
                 || ' of the packets that can be marked are. Marks of the '
                 || 'mirroring switch itself may be missing. '
            ELSE 'No marked packet is in the capture. ' END
         || 'Whether senders slowed down, and by how much, is not judged here.'
         AS detail,
       NULL AS action,
       CASE WHEN min(id) = max(id) THEN max(id) END AS tap_id,
       min(first_ns) AS first_ns, max(last_ns) AS last_ns,
       json_object('numbers',
                   json_object('ce', sum(ce), 'ect', sum(ect),
                               'cnp', sum(packets_cnp)),
                   'query', 'fabscope query DB ecn') AS evidence
  FROM tap
 WHERE ce > 0 OR packets_cnp > 0
HAVING count(*) > 0
