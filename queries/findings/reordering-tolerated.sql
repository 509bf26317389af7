-- Was there reordering that did no harm?
-- needs incident
SELECT 'info' AS severity, confidence,
       plural(occurrences, 'packet')
         || ' reordered upstream, without harm: ' || who AS title,
       'The receiver sent no NAK: it accepts packets out of order, or the '
         || 'missing packets arrived before it would have sent one.' AS detail,
       NULL AS action,
       tap_id, flow_id, first_ns, last_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB reordering --param incident=' || id)
         AS evidence
  FROM incident
 WHERE kind = 'reorder_tolerated'
