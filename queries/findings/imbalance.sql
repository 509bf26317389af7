-- Is the load uneven beyond chance, although there is enough to hash?
-- needs balance
SELECT 'info' AS severity, 0.8 AS confidence,
       'Uneven load: ' || m.member || ' carries '
         || round(b.mmr_bytes, 2) || ' times the mean of ' || g.name AS title,
       'If the same flows were placed at random, the fullest link would carry '
         || 'less in ' || human_share(b.chance) || ' of all cases: the hash '
         || 'prefers links, or they are weighted. Jain''s fairness index of '
         || 'the bytes is ' || round(b.jfi, 2) || '.'
         AS detail,
       'Compare weights and hash seeds; see which flows share the link.'
         AS action,
       b.busiest_tap_id AS tap_id,
       json_object('query', 'fabscope query DB links --param group=' || g.id)
         AS evidence
  FROM balance b
  JOIN link_group g ON g.id = b.group_id
  JOIN balance_member m ON m.group_id = b.group_id
                       AND m.tap_id = b.busiest_tap_id
 WHERE b.whole AND b.mode = 'ecmp' AND b.chance >= 0.99
   AND b.mmr_bytes >= 1.5 AND b.effective_flows >= 4 * b.members
   AND b.packets >= 1000 * b.members
   AND ifnull(m.utilization, 1) >= 0.3
   AND b.polarized IS NULL
   AND NOT EXISTS (SELECT 1 FROM balance_member i
                    WHERE i.group_id = b.group_id
                      AND i.bytes * b.members * 100 < b.bytes)
