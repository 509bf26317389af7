-- Did senders wait because the receiver offered no room (credits)?
-- param notable duration 1ms  less than this of one flow is only mentioned
-- needs incident
SELECT CASE WHEN worst_ns >= :notable THEN 'warning'
            ELSE 'info' END AS severity,
       confidence,
       'Senders waited for credit ' || times(occurrences) || ': ' || who
         AS title,
       'The last ACK advertised no free receive buffer, and the sender '
         || 'stopped until an ACK advertised some. The receiver is slow, not '
         || 'the network. ' || cost AS detail,
       'Look at the receiving host' || ifnull(' ' || dst, '')
         || ': receives posted too late or too few.' AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB events --param kind=credit_stall --param '
                  || 'incident=' || id) AS evidence
  FROM incident
 WHERE kind = 'credit_stall'
