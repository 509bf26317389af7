-- Did receivers refuse packets because no buffer was posted (RNR)?
-- Rule R14: this is the receiving application or its queue depth, not loss.
-- param critical duration 10ms  critical when it cost one flow so much
SELECT CASE WHEN worst_ns >= :critical THEN 'critical'
            ELSE 'warning' END AS severity,
       confidence,
       'The receiver was not ready ' || plural(episodes, 'time') || ': '
         || who AS title,
       'It answered with RNR NAK: no receive buffer was posted. The sender '
         || 'has to wait and to send again. This is not loss, and not the '
         || 'network. ' || cost AS detail,
       'Look at the receiving host'
         || ifnull(' ' || dst, '') || ': does the application post receives '
         || 'in time, is its receive queue deep enough, was it stopped?'
         AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB rnr --param incident=' || id) AS evidence
  FROM incident
 WHERE kind = 'rnr'
