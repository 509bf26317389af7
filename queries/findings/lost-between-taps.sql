-- Were packets lost between two capture points?
-- Rule M1: they were seen at one of them and not at the other.
-- param critical duration 10ms  critical when it cost one flow so much
-- uses between/seen
-- needs incident
SELECT CASE WHEN worst_ns >= :critical THEN 'critical' ELSE 'warning' END
         AS severity,
       confidence,
       between_text(lost_min, lost_max, 'packet') || ' lost between '
         || ifnull('the taps ' || seen.names, 'two taps')
         || ifnull(' and ' || t.name, '') || ': ' || who AS title,
       'They were seen at ' || ifnull(seen.names, 'one of them')
         || ' and not at ' || ifnull(t.name, 'the other')
         || '; after a NAK or an RTO they were retransmitted ('
         || plural(occurrences, 'recovery') || '). Both taps show these losses; '
         || 'they are counted once. '
         || CASE WHEN lost_max > lost_min
                 THEN human_count(lost_max) || ' were not seen there before '
                   || 'their retransmission; the capture may have missed '
                   || 'some of them. ' ELSE '' END
         || cost AS detail,
       'Look at what lies between these two taps: drop and discard counters '
         || 'of those ports and queues, link errors (FEC, CRC).' AS action,
       i.tap_id, i.flow_id, i.first_ns, i.last_ns, cost_ns,
       i.id AS incident_id, w.place, w.place_at,
       json_set(evidence, '$.query',
                'fabscope query DB recoveries --param incident=' || i.id)
         AS evidence
  FROM incident i
  LEFT JOIN between_seen seen ON seen.incident_id = i.id
  LEFT JOIN tap t ON t.id = i.tap_id
  LEFT JOIN (SELECT y.place AS to_place, min(s.place) AS place,
                    min(s.place_at) AS place_at
               FROM segment s /*scan*/
               JOIN tap y ON y.id = s.to_tap_id
              WHERE s.adjacent AND s.lost > 0
              GROUP BY y.place
             HAVING count(DISTINCT s.place_at) = 1) w ON w.to_place = t.place
 WHERE kind = 'loss_between'
