-- Is one of equal links slower, or given less, than the others?
-- needs balance
WITH speed AS (
  SELECT m.group_id, max(t.speed_bps) AS most
    FROM balance_member m JOIN tap t ON t.id = m.tap_id GROUP BY m.group_id)
SELECT 'warning' AS severity,
       CASE WHEN t.speed_bps < s.most THEN 0.95 ELSE 0.8 END AS confidence,
       'Slow link: ' || m.member
         || CASE WHEN t.speed_bps < s.most
                 THEN ' runs at ' || t.speed_bps / 1000000000 || ' of '
                        || s.most / 1000000000 || ' Gb/s of its group'
                 ELSE ' carries ' || human_share(m.share * b.members)
                        || ' of an equal share' END AS title,
       CASE WHEN t.speed_bps < s.most
            THEN 'A hash or spray that ignores link speed loads it like the '
              || 'others, and it is full first.'
            ELSE 'Packets are spread over all links of ' || g.name
                   || ', and this one takes fewer of them: it is slow, '
                   || 'paused, or was down for a part of the time.' END
         AS detail,
       'Look at its speed, errors, pauses and flaps.' AS action,
       m.tap_id AS tap_id,
       json_object('query', 'fabscope query DB links --param group=' || g.id)
         AS evidence
  FROM balance b
  JOIN link_group g ON g.id = b.group_id
  JOIN balance_member m ON m.group_id = b.group_id
  JOIN tap t ON t.id = m.tap_id
  JOIN speed s ON s.group_id = b.group_id
 WHERE (t.speed_bps < s.most AND m.packets > 0)
    OR (b.whole AND b.mode IN ('spray', 'adaptive')
        AND m.share * b.members < 0.6 AND m.share * b.members >= 0.01
        AND b.packets >= 1000 * b.members)
