-- Did the same transmission arrive twice?
-- Harmless to a reliable transport, but it takes room on every link behind the
-- place where it happens.
-- param share share 0.05  from here on of the packets it is a warning
SELECT CASE WHEN occurrences >= :share * expected THEN 'warning'
            ELSE 'info' END AS severity,
       confidence,
       plural(occurrences, 'packet') || ' arrived twice'
         || ifnull(' (' || human_share(1.0 * occurrences / nullif(expected, 0))
                   || ')', '') || ': ' || who AS title,
       'Two identical packets shortly after one another: no retransmission of '
         || 'the host, but duplicated by the network upstream of this capture '
         || 'point, or by the mirror. Receivers drop the second, and nothing '
         || 'is lost.' AS detail,
       'If the mirror is not the reason, look for flooding or a loop '
         || 'upstream.' AS action,
       tap_id, flow_id, first_ns, last_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB duplicates --param incident=' || id)
         AS evidence
  FROM incident
 WHERE kind = 'duplicated'
