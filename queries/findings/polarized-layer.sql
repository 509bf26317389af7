-- Does a second layer choose by what the first has already chosen by?
-- needs balance
SELECT 'warning' AS severity, 0.9 AS confidence,
       'Polarized layer: ' || group_concat(g.name, ', ')
         || CASE WHEN count(*) = 1 THEN ' uses ' ELSE ' use ' END
         || CASE WHEN count(*) = 1 THEN (SELECT count(*) FROM balance_member m
                     WHERE m.group_id = p.group_id AND m.bytes > 0)
                     || ' of ' || p.members
                 ELSE 'part of their' END
         || ' links' AS title,
       'The flows that reach it took the same link at the previous layer, and '
         || 'again they all take the same one: both layers hash the same '
         || 'fields with the same function. By chance '
         || plural(min(p.flows), 'flow') || ' would hardly leave links empty. '
         || 'Half or more of the capacity is not used.' AS detail,
       'Give each layer of switches a hash seed of its own.' AS action,
       CASE WHEN count(*) = 1 THEN p.busiest_tap_id END AS tap_id,
       json_object('numbers', json_object('groups', count(*)),
                   'query', 'fabscope query DB links --param group='
                              || min(g.id)) AS evidence
  FROM balance p
  JOIN link_group g ON g.id = p.group_id
 WHERE p.polarized
HAVING count(*) > 0
