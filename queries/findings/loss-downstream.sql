-- Were packets lost between this capture point and their receiver?
-- Rule R4: the packet was seen here in order, and the receiver sent a NAK for it.
-- How many were lost has bounds only: after the first hole a go-back-N receiver
-- discards all that follows.
-- param critical duration 10ms  critical when it cost one flow so much
-- needs incident
SELECT CASE WHEN worst_ns >= :critical AND NOT low_confidence
            THEN 'critical' ELSE 'warning' END AS severity,
       CASE WHEN low_confidence THEN min(confidence, 0.3)
            ELSE confidence END AS confidence,
       CASE WHEN low_confidence THEN 'LOW CONFIDENCE: ' ELSE '' END
         || between_text(lost_min, lost_max, 'packet')
         || ' lost between this capture point and the receiver: ' || who
         AS title,
       'They were seen at this capture point, and the receiver sent a NAK for '
         || 'them ('
         || plural(occurrences, 'recovery') || '). '
         || CASE WHEN lost_max > lost_min
                 THEN 'Between ' || human_count(lost_min) || ' and '
                      || human_count(lost_max) || ' were lost. ' ELSE '' END
         || cost || caution AS detail,
       'Look at the ports and queues from this capture point to '
         || ifnull(dst, 'the receivers')
         || ': drop and discard counters, the last link (FEC, CRC), and what '
         || 'the receiving NIC discarded.' AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB recoveries --param incident=' || id)
         AS evidence
  FROM incident
 WHERE kind = 'loss_downstream'
