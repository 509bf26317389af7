-- Were packets lost where a capture that misses packets cannot say?
-- Rules R3 and R13, or M1: not seen here before they were retransmitted; but
-- so many may have passed and be missing in the capture only.
-- param critical duration 10ms  critical when it cost one flow so much
-- needs incident
SELECT CASE WHEN worst_ns >= :critical AND NOT low_confidence
            THEN 'critical' ELSE 'warning' END AS severity,
       min(confidence, 0.3) AS confidence,
       CASE WHEN low_confidence THEN 'LOW CONFIDENCE: ' ELSE '' END
         || 'Packets lost and retransmitted, ' || times(occurrences)
         || CASE kind WHEN 'loss_unplaced' THEN ''
                 ELSE ', after an RTO' END
         || '; where they were lost is not observable: ' || who AS title,
       'Of what was retransmitted, ' || plural(lost_max, 'packet')
         || ' had not been seen here before: lost upstream of this capture '
         || 'point, or not captured here and lost downstream. '
         || ifnull('Not captured here: ' || human_share(missing_share)
                   || ' of the packets, which allows either. ', '')
         || cost AS detail,
       'Capture again without a capture gap (fewer packets per mirror, a '
         || 'shorter snaplen), or look at the drop counters on the whole path '
         || 'from '
         || ifnull(src, 'the senders') || ' to ' || ifnull(dst, 'the receivers')
         || '.' AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB recoveries --param incident=' || id)
         AS evidence
  FROM incident
 WHERE kind IN ('loss_unplaced', 'tail_loss_unplaced')
