-- Which losses were recovered only by a retransmission timeout (RTO)?
-- Rules R12 and R13: nothing followed the lost packets (or the NAK was lost too),
-- so the receiver could not send a NAK.  Where a NAK was seen here and no
-- retransmission followed, it was lost downstream of here or not heeded.  How many
-- retransmissions were lost upstream of here cannot be counted.
-- A silence below 10 us is no wait: the RTO ran from an earlier packet.
-- param critical duration 10ms  critical when it cost one flow so much
-- needs incident
SELECT CASE WHEN worst_ns >= :critical AND NOT low_confidence
            THEN 'critical' ELSE 'warning' END AS severity,
       CASE WHEN low_confidence THEN min(confidence, 0.3)
            ELSE confidence END AS confidence,
       CASE WHEN low_confidence THEN 'LOW CONFIDENCE: ' ELSE '' END
         || CASE WHEN lost_max > lost_min OR kind = 'tail_loss_upstream'
                 THEN 'At least ' ELSE '' END
         || plural(lost_min, 'packet') || ' lost between '
         || CASE kind WHEN 'tail_loss_upstream'
                 THEN 'the sender and this capture point'
                 ELSE 'this capture point and the receiver' END
         || ', recovered only by RTO: ' || who AS title,
       CASE heard WHEN 0
         THEN CASE lost_min WHEN 1 THEN 'It was the last packet of its message'
              ELSE 'They were the last packets of their message' END
           || ', so the receiver could not send a NAK (or its NAK was lost too). The sender '
           || 'waited for its retransmission timeout (RTO), '
         ELSE plural(heard, 'NAK')
           || CASE heard WHEN 1 THEN ' was' ELSE ' were' END
           || ' seen at this capture point and no retransmission followed '
              || CASE heard WHEN 1 THEN 'it' ELSE 'them' END || ': lost on '
              || 'the way to the sender, or ignored. The sender waited for '
              || 'its RTO, ' END
         || times(occurrences)
         || ifnull(', up to '
                   || human_ns(CASE WHEN idle_ns >= 10000 THEN idle_ns END),
                   '') || '. '
         || cost || caution AS detail,
       'Find the drops: look at the ports between '
         || CASE kind WHEN 'tail_loss_upstream'
                 THEN ifnull(src, 'the senders') || ' and this capture point'
                 ELSE 'this capture point and '
                      || ifnull(dst, 'the receivers')
                      || ', and at what the receiving NIC discarded' END
         || '. Each loss costs one RTO.'
         AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB recoveries --param incident=' || id)
         AS evidence
  FROM (SELECT i.*,
               (SELECT count(*) FROM incident_flow m
                  JOIN recovery r ON r.flow_id = m.flow_id
                 WHERE m.incident_id = i.id AND r.trigger = 'timeout'
                   AND r.frame_detect > 0
                   AND r.cause = CASE i.kind WHEN 'tail_loss_upstream'
                                      THEN 'loss_upstream'
                                      ELSE 'loss_downstream' END) AS heard
          FROM incident i
         WHERE kind IN ('tail_loss_upstream', 'tail_loss_downstream'))
