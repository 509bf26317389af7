-- Was there a time in which nothing came through?
-- param critical duration 10ms  critical when it lasted so long
SELECT CASE WHEN silence_ns >= :critical THEN 'critical'
            ELSE 'warning' END AS severity,
       confidence,
       'Nothing came through for ' || ifnull(human_ns(silence_ns),
                                             'some time')
         || ': ' || who AS title,
       'What the sender sent in that time was not answered'
         || CASE WHEN flows > 1 THEN ', on ' || plural(flows, 'flow')
                                     || ' at once' ELSE '' END
         || '; then traffic went on. This is how a black hole looks: a link '
         || 'or path that was down, or a route that changed. ' || cost
         AS detail,
       'Look at the logs of the switches on this path at that time: link '
         || 'down, route withdrawal, watchdog.' AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB events --param kind=outage'
                || ' --param incident=' || id) AS evidence
  FROM incident
 WHERE kind = 'outage'
