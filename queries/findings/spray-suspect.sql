-- Is this one of several links over which the traffic is sprayed?
-- Then packets that are not here travelled elsewhere, and loss verdicts are
-- withdrawn.
SELECT 'info' AS severity, 0.7 AS confidence,
       'Sprayed traffic: parts of '
         || plural(count(DISTINCT ifnull(k.counted_id, id)), 'flow')
         || ' use links that are not captured' AS title,
       'Many PSNs are missing in each of them at any time, and next to none is '
         || 'retransmitted: the missing packets use links that are not '
         || 'captured, or the mirror copies only a sample. That is '
         || 'neither loss nor a capture gap: the loss figures of these flows '
         || 'are unknown (NULL), not 0.'
         AS detail,
       'Capture all parallel links, and name each with --tap.' AS action,
       CASE WHEN min(tap_id) = max(tap_id) THEN max(tap_id) END AS tap_id,
       min(first_ns) AS first_ns, max(last_ns) AS last_ns,
       json_object('numbers', json_object('flows',
                                          count(DISTINCT ifnull(k.counted_id,
                                                                id))),
                   'query', 'fabscope query DB flows --param sprayed=1')
         AS evidence
  FROM (SELECT max(sprayed) AS any FROM flow_sum HAVING any)
 CROSS JOIN flow /*scan*/
  LEFT JOIN same_flow k ON k.flow_id = flow.id
 WHERE spray_suspect
HAVING count(*) > 0
