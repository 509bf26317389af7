-- Is there a link that should carry traffic and does not?
-- needs balance
SELECT 'warning' AS severity, 0.85 AS confidence,
       'Idle link: ' || m.member || ' carries '
         || CASE WHEN m.packets = 0 THEN 'nothing'
                 ELSE 'next to nothing' END
         || ' of ' || plural(b.flows, 'flow') || ' over ' || g.name AS title,
       'The other links carry ' || human_bytes(b.bytes) || '. '
         || CASE WHEN b.mode = 'ecmp'
                 THEN 'That a hash leaves out one of '
                        || plural(b.members, 'link') || ' for that many flows '
                        || 'is less likely than 1 in '
                        || CASE WHEN pow(1 - 1.0 / b.members,
                                         b.effective_flows) < 1e-6
                                THEN 'a million'
                                ELSE human_count(cast(
                                       1 / pow(1 - 1.0 / b.members,
                                               b.effective_flows) AS INTEGER))
                                END || '.'
                 ELSE 'With ' || b.mode || ' every link gets a share.' END
         AS detail,
       'Look whether the link is up, in the routes, and weighted like the '
         || 'others.' AS action,
       m.tap_id AS tap_id,
       json_object('query', 'fabscope query DB links --param group=' || g.id)
         AS evidence
  FROM balance b
  JOIN link_group g ON g.id = b.group_id
  JOIN balance_member m ON m.group_id = b.group_id
 WHERE b.whole AND m.bytes * b.members * 100 < b.bytes
   AND (b.mode IN ('spray', 'adaptive', 'nic-spray')
        OR (b.mode = 'flowlet' AND b.flows >= 2 * b.members)
        OR (b.mode = 'ecmp'
            AND pow(1 - 1.0 / b.members, b.effective_flows) * b.members
                  < 0.001))
   AND b.packets >= 1000 * b.members
   AND b.polarized IS NULL
