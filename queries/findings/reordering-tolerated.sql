-- Was there reordering that did no harm?
SELECT 'info' AS severity, confidence,
       plural(episodes, 'packet')
         || ' overtaken on the way here, without harm: ' || who AS title,
       'They came late, and nobody asked for them again: the receiver accepts '
         || 'packets out of order, or they were in time.' AS detail,
       NULL AS action,
       tap_id, flow_id, first_ns, last_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB reordering --param incident=' || id)
         AS evidence
  FROM incident
 WHERE kind = 'reorder_tolerated'
