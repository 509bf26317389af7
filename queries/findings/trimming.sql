-- Did switches trim packets because their queues were full?
-- Rules U5 and U6 (Ultra Ethernet): the header went on with priority, the
-- receiver refused it at once, and the sender retransmitted: no timer had to run
-- out.  Trimmed by the last switch means that the receiver's link was full.
-- What passed one capture point whole and the next trimmed (M1) counts once.
-- param critical duration 10ms  critical when it cost one flow so much
-- uses between/seen
-- needs incident
SELECT CASE WHEN worst_ns >= :critical THEN 'critical'
            ELSE 'warning' END AS severity,
       confidence,
       plural(retransmitted_packets, 'packet') || ' trimmed '
         || CASE kind WHEN 'trimmed_upstream'
                 THEN 'upstream of this capture point: '
                 WHEN 'trimmed_downstream'
                 THEN 'between this capture point and the receiver: '
                 WHEN 'trimmed_between'
                 THEN 'between ' || ifnull('the taps ' || names, 'two taps')
                      || ' and ' || ifnull(last_name, 'another') || ': '
                 ELSE 'on their way: ' END || who AS title,
       'Queues were full and switches trimmed packets; the receiver sent '
         || 'a NACK at once and the packets were retransmitted. '
         || CASE WHEN lasthop > 0
                 THEN 'The last switch trimmed ' || human_count(lasthop)
                      || ' of them: more came for one receiver than its link '
                      || 'carries (incast). ' ELSE '' END
         || CASE WHEN lasthop < trims
                 THEN 'Switches inside the fabric trimmed '
                      || human_count(trims - lasthop)
                      || ': one path was full, others may have had room. '
                 ELSE '' END
         || CASE WHEN kind = 'trimmed'
                 THEN 'Where is not observable: they were not captured. '
                 ELSE '' END || cost AS detail,
       CASE WHEN lasthop > 0
            THEN 'Let fewer senders send to ' || ifnull(dst, 'one receiver')
                 || ' at a time, or use receiver credits (RCCC).'
            ELSE 'Look at the load of the links between spine and leaf, and '
              || 'at how entropy values spread over them.' END AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB trims --param incident=' || id) AS evidence
  FROM (SELECT i.*,
               (SELECT ifnull(sum(p.trimmed_lasthop), 0)
                  FROM incident_flow m JOIN pdc p ON p.flow_id = m.flow_id
                 WHERE m.incident_id = i.id
                   AND (m.occurrences > 0 OR i.kind <> 'trimmed_between'))
                 AS lasthop,
               (SELECT ifnull(sum(p.trimmed_upstream
                                  + p.trimmed_downstream), 0)
                  FROM incident_flow m JOIN pdc p ON p.flow_id = m.flow_id
                 WHERE m.incident_id = i.id
                   AND (m.occurrences > 0 OR i.kind <> 'trimmed_between'))
                 AS trims,
               (SELECT name FROM tap WHERE id = i.tap_id) AS last_name,
               n.names
          FROM incident i
          LEFT JOIN between_seen n ON n.incident_id = i.id)
 WHERE kind IN ('trimmed_upstream', 'trimmed_downstream', 'trimmed',
                'trimmed_between')
