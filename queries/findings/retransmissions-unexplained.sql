-- Were packets sent again without a reason that can be seen?
SELECT 'warning' AS severity, confidence,
       plural(resent_packets, 'packet')
         || ' sent again, and the capture does not show why: ' || who
         AS title,
       CASE WHEN one_way
            THEN 'Somebody asked for them or a timer fired, but ACKs and '
                 || 'NAKs of these flows are not in the capture. '
            ELSE 'No NAK and no silence of the sender that is here explains '
                 || 'it. ' END
         || 'That packets were sent again does not say how many were lost. '
         || cost AS detail,
       CASE WHEN one_way
            THEN 'Capture at a host''s link, where both directions pass.' END
         AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB recoveries --param incident=' || id
                || ' --param cause=unknown') AS evidence
  FROM (SELECT i.*,
               EXISTS (SELECT 1 FROM incident_flow m
                         JOIN flow f ON f.id = m.flow_id
                        WHERE m.incident_id = i.id
                          AND f.visibility <> 'both') AS one_way
          FROM incident i)
 WHERE kind = 'unexplained' AND resent_packets > 0
