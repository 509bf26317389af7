-- Is a device configured against what RoCE needs?
-- What packets alone show is reported by pfc-before-ecn, ecn-thresholds,
-- dscp-inconsistent, low-entropy and pfc-contradicts-lldp.
-- needs audit
SELECT CASE what WHEN 'cnp-class' THEN 'info' ELSE 'warning' END AS severity,
       0.9 AS confidence,
       'Configuration: ' || min(text)
         || CASE WHEN count(*) > 1
                 THEN ' (and ' || (count(*) - 1) || ' more like that)'
                 ELSE '' END AS title,
       group_concat(text, '. ') || '.' AS detail, min(action) AS action,
       json_object('numbers', json_object('lines', count(*)),
                   'query', 'fabscope query DB audit --param what=' || what)
         AS evidence
  FROM (SELECT * FROM audit /*scan*/
         WHERE verdict = 'wrong' AND basis <> 'packets' ORDER BY id)
 GROUP BY what
