-- Did the same transmission arrive twice?
SELECT 'info' AS severity, confidence,
       plural(episodes, 'packet') || ' arrived twice: ' || who AS title,
       'Copies that are equal to the bit and came soon after one another: not '
         || 'sent again by the host, but doubled by the network, or by the '
         || 'mirror. Receivers drop the second.' AS detail,
       'If the mirror is not the reason, look for flooding or a loop on the '
         || 'way here.' AS action,
       tap_id, flow_id, first_ns, last_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB duplicates --param incident=' || id)
         AS evidence
  FROM incident
 WHERE kind = 'doubled'
