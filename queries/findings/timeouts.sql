-- Did senders wait for their timer without a reason that can be seen?
-- Timeouts whose cause is known are reported by tail-loss and ack-loss; those
-- without any answer by unanswered.
-- A silence below 10 us is no wait: the RTO ran from an earlier packet.
-- param critical duration 10ms  critical when it cost one flow so much
-- needs incident
SELECT CASE WHEN worst_ns >= :critical THEN 'critical'
            ELSE 'warning' END AS severity,
       confidence,
       'Senders idle until their RTO expired, '
         || times(occurrences) || ': ' || who AS title,
       'The sender retransmitted'
         || ifnull(' after up to '
                   || human_ns(CASE WHEN idle_ns >= 10000 THEN idle_ns END)
                   || ' of silence', ' without a NAK')
         || '. Whether packets or ACKs were lost, or '
         || 'the path failed, is not observable at this capture point. '
         || cost AS detail,
       'Capture where both directions are visible, or nearer to '
         || ifnull(dst, 'the receivers') || '.' AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB recoveries --param incident=' || id)
         AS evidence
  FROM incident
 WHERE kind = 'timeout'
