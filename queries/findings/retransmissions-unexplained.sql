-- Were packets retransmitted without a reason that is observable?
-- needs incident
SELECT 'warning' AS severity, confidence,
       plural(retransmitted_packets, 'packet')
         || iif(passed_over,
                ' retransmitted after ACKs of later packets: ',
                iif(named, ' retransmitted after NAKs, lost or reordered: ',
                    ' retransmitted, and the capture does not show why: '))
         || who
         AS title,
       CASE WHEN passed_over
            THEN 'A sender retransmits what such an ACK leaves out. '
              || 'Whether the packet or only its ACK was lost or late is not '
              || 'observable. '
            WHEN one_way
            THEN 'A NAK or an RTO caused them, but ACKs and NAKs of these '
              || 'flows do not pass this capture point. '
            WHEN named
            THEN 'A NAK named each of them; whether they were lost or '
              || 'reordered is not observable here. '
            ELSE 'No NAK and no idle time of the sender explains it. ' END
         || 'Retransmissions do not say how many packets were lost. '
         || cost AS detail,
       CASE WHEN one_way
            THEN 'Capture at a host''s link, where both directions pass (all '
              || 'ports of a bond, named in a topology file).' END
         AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB recoveries --param incident=' || id
                || ' --param cause=unknown') AS evidence
  FROM (SELECT i.*,
               EXISTS (SELECT 1 FROM incident_flow m
                         JOIN flow f ON f.id = m.flow_id
                        WHERE m.incident_id = i.id
                          AND f.visibility <> 'both') AS one_way,
               (SELECT min(r.trigger = 'implied_nak' AND r.rule LIKE 'U%')
                  FROM incident_flow m
                  JOIN recovery r ON r.flow_id = m.flow_id
                 WHERE m.incident_id = i.id
                   AND r.cause = 'unknown'
                   AND r.trigger <> 'timeout') AS passed_over,
               (SELECT min(r.trigger = 'nak')
                  FROM incident_flow m
                  JOIN recovery r ON r.flow_id = m.flow_id
                 WHERE m.incident_id = i.id
                   AND r.cause = 'unknown'
                   AND r.trigger <> 'timeout') AS named
          FROM incident i)
 WHERE kind = 'unexplained' AND retransmitted_packets > 0
