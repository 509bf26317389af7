-- How many counters agree with the packets?
-- needs counter_check
SELECT 'info' AS severity, 0.95 AS confidence,
       plural(sum(verdict = 'agrees'), 'counter') || ' of '
         || (SELECT count(DISTINCT ifnull(address, ifnull(node, device)))
               FROM evidence_source /*scan*/ WHERE why_not IS NULL)
         || ' devices agree with the packets'
         || CASE WHEN total(verdict IN ('more', 'fewer')) > 0
                 THEN ', ' || sum(verdict IN ('more', 'fewer'))
                      || ' differ without a contradiction' ELSE '' END AS title,
       'They counted what the capture has.'
         || CASE WHEN total(verdict IN ('more', 'fewer')) > 0
                 THEN ' Where they differ, the counters were read earlier or '
                   || 'later than the capture ran, or count other traffic, '
                   || 'or other devices dropped as well.' ELSE '' END AS detail,
       'Nothing to do.' AS action,
       json_object('numbers', json_object('agree', sum(verdict = 'agrees'),
                                          'differ', sum(verdict IN ('more',
                                                                    'fewer'))),
                   'query', 'fabscope query DB counter-checks') AS evidence
  FROM counter_check /*scan*/
HAVING sum(verdict = 'agrees') > 0
