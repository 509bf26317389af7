-- Did receivers end queue pairs with an error?
-- Rules R21 and, for Ultra Ethernet, U19: NAK 0x61 invalid request, 0x62 remote
-- access, 0x63 remote operation; NACK codes that end a context.
-- needs incident
SELECT 'critical' AS severity, confidence,
       plural(flows, CASE WHEN codes IS NULL THEN 'queue pair'
                          ELSE 'delivery context' END)
         || ' ended by the receiver with '
         || (SELECT CASE count(DISTINCT e.value)
                    WHEN 1 THEN CASE max(e.value)
                      WHEN 0x61 THEN 'an invalid request error'
                      WHEN 0x62 THEN 'a remote access error'
                      WHEN 0x63 THEN 'a remote operational error'
                      ELSE ifnull('NACK ' || i.codes, 'a fatal error')
                      END
                    ELSE 'a fatal error' END
               FROM incident_flow m
               JOIN event e ON e.flow_id = m.flow_id
                           AND e.kind = 'nak_fatal'
              WHERE m.incident_id = i.id)
         || ': ' || who AS title,
       CASE WHEN codes IS NULL
            THEN 'The receiver refused an operation for good (NAK). The queue '
              || 'pair is in the error state afterwards: that it stays idle is '
              || 'not loss. '
            ELSE 'The receiver does not know the context, or refuses it ('
              || codes || '). The sender has to open another. '
       END || CASE WHEN unanswered > 0
                   THEN 'Before that, ' || plural(unanswered, 'packet')
                     || ' of it had been retransmitted without an ACK in time: '
                     || 'one side may have ended the context because of that; '
                     || 'then the cause is the loss of the packets or their '
                     || 'ACKs.'
                   ELSE 'The network only carried the message.' END
         || ifnull(' A log says so too: '
                   || (SELECT min(s.path || ' line ' || l.line)
                         FROM incident_flow m
                         JOIN qp_error q ON q.flow_id = m.flow_id
                         JOIN error_log l ON l.id = q.error_log_id
                         JOIN evidence_source s ON s.id = l.source_id
                        WHERE m.incident_id = i.id) || '.', '') AS detail,
       'Look at the applications: keys and addresses of remote memory, access '
         || 'rights, lengths, a peer that crashed or was restarted.' AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB naks --param kind=nak_fatal --param '
                  || 'incident=' || id) AS evidence
  FROM (SELECT n.*,
               (SELECT group_concat(DISTINCT k.name)
                  FROM incident_flow m JOIN nack k ON k.flow_id = m.flow_id
                 WHERE m.incident_id = n.id AND k.code >= 14
                   AND k.code NOT IN (16, 18, 20, 23, 24, 26)) AS codes,
               (SELECT sum(r.retransmitted_packets)
                  FROM incident_flow m
                  JOIN flow f ON f.id = m.flow_id
                  JOIN recovery r ON r.flow_id IN (f.id, f.peer_flow_id)
                                 AND r.trigger = 'timeout'
                                 AND r.cause IN ('unknown', 'ack_loss')
                                 AND r.retransmit_ns < n.first_ns
                 WHERE m.incident_id = n.id) AS unanswered
          FROM incident n) i
 WHERE kind = 'nak_fatal'
