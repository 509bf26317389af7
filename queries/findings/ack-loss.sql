-- Were packets retransmitted only because acknowledgements got lost?
-- Rule R11: the data had arrived.
-- A silence below 10 us is no wait: the RTO ran from an earlier packet.
-- param critical duration 10ms  critical when it cost one flow so much
-- needs incident
SELECT CASE WHEN worst_ns >= :critical THEN 'critical'
            ELSE 'warning' END AS severity,
       confidence,
       'ACKs lost or late, ' || times(occurrences) || ': '
         || who AS title,
       'The data had arrived, but the sender received no ACK in time'
         || ifnull(', waited up to '
                   || human_ns(CASE WHEN idle_ns >= 10000 THEN idle_ns END),
                   '')
         || ' and retransmitted without need. ' || cost AS detail,
       'Look at the reverse path, ' || ifnull(dst, 'the receivers') || ' to '
         || ifnull(src, 'the senders')
         || ': drops, and the class in which ACKs travel.' AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB recoveries --param incident=' || id
                || ' --param cause=ack_loss') AS evidence
  FROM incident
 WHERE kind = 'ack_loss'
