-- Were packets lost between their sender and this capture point?
-- Rules R3 and R13: not seen here, and retransmitted after a NAK or an RTO.
-- param critical duration 10ms  critical when it cost one flow so much
-- needs incident
SELECT CASE WHEN worst_ns >= :critical AND NOT low_confidence
            THEN 'critical' ELSE 'warning' END AS severity,
       CASE WHEN low_confidence THEN min(confidence, 0.3)
            ELSE confidence END AS confidence,
       CASE WHEN low_confidence THEN 'LOW CONFIDENCE: ' ELSE '' END
         || between_text(lost_min, lost_max, 'packet')
         || ' lost between the sender and this capture point: ' || who
         AS title,
       CASE WHEN lost_max > lost_min
            THEN human_count(lost_max) || ' were not seen here before their '
              || 'retransmission; the capture may have missed some of them. '
            ELSE '' END
         || CASE WHEN one_way
            THEN CASE lost_min WHEN 1 THEN 'The packet was not seen here and '
                   || 'was retransmitted ('
                 ELSE 'The packets were not seen here and were '
                   || 'retransmitted (' END
                 || plural(occurrences, 'recovery') || '). The ACKs and NAKs of '
                 || 'the receiver are not seen here: that it sent a NAK is '
                 || 'inferred from the retransmissions. '
            WHEN lost_max > lost_min
            THEN 'The receiver sent a NAK and they were retransmitted ('
                 || plural(occurrences, 'recovery') || '). '
            WHEN lost_min = 1
            THEN 'The packet was not seen here; the receiver sent a NAK and '
              || 'it was retransmitted ('
                 || plural(occurrences, 'recovery') || '). '
            ELSE 'The packets were not seen here; the receiver sent a NAK and '
              || 'they were retransmitted ('
                 || plural(occurrences, 'recovery') || '). ' END
         || CASE WHEN one_way THEN ''
                 ELSE ifnull('That is '
                             || human_share(1.0 * lost_min
                                            / nullif(expected, 0))
                   || ' of what these flows sent. ', '') END
         || cost || caution AS detail,
       'Look at the ports and queues from ' || ifnull(src, 'the senders')
         || ' to this capture point: drop and discard counters of the '
         || 'lossless class, its PFC configuration, link errors (FEC, CRC).'
         AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB recoveries --param incident=' || id)
         AS evidence
  FROM (SELECT i.*,
               EXISTS (SELECT 1 FROM incident_flow m
                         JOIN flow f ON f.id = m.flow_id
                        WHERE m.incident_id = i.id
                          AND f.visibility <> 'both') AS one_way
          FROM incident i)
 WHERE kind = 'loss_upstream'
