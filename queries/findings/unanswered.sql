-- Did senders wait for their RTO because no ACK came?
-- Rules R11 and R12: packets were seen here, and no ACK for them.  The packets can
-- have been lost downstream of this capture point, or their ACKs; both look the
-- same from here.  So does a message whose last packets were lost upstream.
-- A silence below 10 us is no wait: the RTO ran from an earlier packet.
-- param critical duration 10ms  critical when it cost one flow so much
-- needs incident
SELECT CASE WHEN worst_ns >= :critical THEN 'critical'
            ELSE 'warning' END AS severity,
       confidence,
       'No ACK before the retransmission timeout (RTO), '
         || times(occurrences) || ': ' || who AS title,
       'Packets were seen at this capture point, but no ACK for them; they '
         || 'were retransmitted'
         || ifnull(' after up to '
                   || human_ns(CASE WHEN idle_ns >= 10000 THEN idle_ns END)
                   || ' of silence', '')
         || '. The packets or their '
         || 'ACKs '
         || 'were lost, most likely downstream of this capture point or on '
         || 'the reverse path. The loss of the last packet of a message upstream '
         || 'looks the same. How many were lost is not known. '
         || CASE WHEN dead > 0
                 THEN plural(dead, 'flow') || ' received no more ACKs until '
                   || 'the capture ended: a path or a host failed. ' ELSE '' END
         || CASE WHEN given_up > 0
                 THEN plural(given_up, 'message')
                   || iif(given_up = 1, ' was', ' were') || ' given up. '
                 ELSE '' END
         || CASE WHEN EXISTS (SELECT 1 FROM incident b
                              CROSS JOIN incident_flow n
                              CROSS JOIN incident_flow m
                              WHERE m.incident_id = b.id
                                AND m.flow_id = n.flow_id
                                AND b.kind IN ('reorder', 'reorder_downstream')
                                AND n.incident_id = i.id)
                 THEN 'These flows are reordered as well: a sender that '
                   || 'ignores a NAK waits like this without any loss. '
                 ELSE '' END
         || cost || caution AS detail,
       iif(captured, 'The links of all hosts are captured: "fabscope query DB '
             || 'segments" shows which of them saw which packets. Look',
           'Capture at the link of ' || ifnull(dst, 'the receivers')
             || ' as well (--tap), or look')
         || ' at the drop counters between here and '
         || iif(captured, ifnull(dst, 'the receivers'), 'there')
         || ', in both directions.' AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB recoveries --param incident=' || id)
         AS evidence
  FROM (SELECT *,
               (SELECT count(*)
                  FROM incident_flow m
                  JOIN flow f ON f.id = m.flow_id
                  JOIN flow p ON p.id = f.peer_flow_id
                 WHERE m.incident_id = o.id
                   AND p.last_ns < (SELECT max(retransmit_ns) FROM recovery
                                     WHERE flow_id = f.id)) AS dead,
               (SELECT count(*)
                  FROM incident_flow m
                  JOIN message g ON g.flow_id = m.flow_id
                                AND g.status IN ('aborted', 'lost', 'qp_error')
                                AND g.last_ns >= o.first_ns
                 WHERE m.incident_id = o.id) AS given_up,
               EXISTS (SELECT 1 FROM job_rank r JOIN job j ON j.id = r.job
                        WHERE r.address = ifnull(o.dst, o.src)
                          AND j.ranks_tapped = j.ranks
                          AND (SELECT count(DISTINCT place) FROM tap)
                              >= j.ranks) AS captured
          FROM incident o) i
 WHERE kind = 'unanswered'
