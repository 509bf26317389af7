-- Did the same transmission arrive twice?
-- Harmless to a reliable transport, but it takes room on every link behind the
-- place where it happens.
-- param share share 0.05  from here on of the packets it is a warning
SELECT CASE WHEN episodes >= :share * expected THEN 'warning'
            ELSE 'info' END AS severity,
       confidence,
       plural(episodes, 'packet') || ' arrived twice'
         || ifnull(' (' || human_share(1.0 * episodes / nullif(expected, 0))
                   || ')', '') || ': ' || who AS title,
       'Copies that are equal to the bit and came soon after one another: not '
         || 'sent again by the host, but doubled by the network before this '
         || 'capture point, or by the mirror. Receivers drop the second, and '
         || 'nothing is lost by it.' AS detail,
       'If the mirror is not the reason, look for flooding or a loop on the '
         || 'way here.' AS action,
       tap_id, flow_id, first_ns, last_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB duplicates --param incident=' || id)
         AS evidence
  FROM incident
 WHERE kind = 'doubled'
