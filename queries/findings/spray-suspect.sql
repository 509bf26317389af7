-- Is this one of several links over which the traffic is sprayed?
-- Then packets that are not here travelled elsewhere, and loss verdicts are
-- withdrawn (reference 6.3).
SELECT 'info' AS severity, 0.7 AS confidence,
       'Sprayed traffic: parts of '
         || plural(count(DISTINCT ifnull(k.once_id, id)), 'flow')
         || ' travel on links that are not here' AS title,
       'A steady share of the packet numbers is missing on all of them, and '
         || 'nobody asks for these packets: they travel on links that are '
         || 'not in the capture. What would look like loss or like a gap of '
         || 'the capture is neither: these figures of these flows are left '
         || 'empty (NULL), not 0, and no loss verdict is given for them.'
         AS detail,
       'Capture all parallel links and give them with --tap.' AS action,
       CASE WHEN min(tap_id) = max(tap_id) THEN max(tap_id) END AS tap_id,
       min(first_ns) AS first_ns, max(last_ns) AS last_ns,
       json_object('numbers', json_object('flows',
                                          count(DISTINCT ifnull(k.once_id,
                                                                id))),
                   'query', 'fabscope query DB flows --param sprayed=1')
         AS evidence
  FROM flow /*scan*/
  LEFT JOIN twin k ON k.flow_id = flow.id
 WHERE (SELECT max(sprayed) FROM flow_sum) AND spray_suspect
HAVING count(*) > 0
