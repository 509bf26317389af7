-- Between which places of capture was nothing lost?
-- Said where many packets were seen at both and none is missing that could
-- have been lost there, though packets were lost elsewhere.
-- param least count 1000  packets seen at both
-- last
SELECT 'exonerates' AS severity, 0.95 AS confidence,
       'Nothing lost between ' || a.name || ' and ' || b.name AS title,
       'All of ' || human_count(s.packets) || ' packets of '
         || plural(s.flows, 'flow') || ' that passed ' || a.name
         || ' came by ' || b.name
         || CASE WHEN s.missed_to > 0
                 THEN ', but for ' || plural(s.missed_to, 'packet')
                      || ' that were delivered and are missing in the '
                      || 'capture only' ELSE '' END
         || '. What was lost was lost elsewhere.' AS detail,
       'Look elsewhere on the way.' AS action,
       s.to_tap_id AS tap_id, s.first_ns, s.last_ns,
       json_object('numbers', json_object('seen_at_both', s.packets,
                                          'missed_to', s.missed_to),
                   'query', 'fabscope query DB segments') AS evidence
  FROM segment s /*scan*/
  JOIN tap a ON a.id = s.from_tap_id
  JOIN tap b ON b.id = s.to_tap_id
 WHERE s.adjacent AND s.one_in = 1 AND s.packets >= :least
   AND s.lost = 0 AND s.open = 0
   AND s.missed_to * 1000 <= s.packets
   AND EXISTS (SELECT 1 FROM finding
                WHERE severity IN ('critical', 'warning')
                  AND rule LIKE '%los%')
