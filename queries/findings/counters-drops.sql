-- Were drops counted that no packet proves?
-- needs counter_check
SELECT 'info' AS severity, 0.6 AS confidence, reason AS title,
       'A switch counts every packet that it drops, a capture proves those that '
         || 'were retransmitted or NAKed.' AS detail,
       settle AS action,
       json_object('numbers', json_object('counted', counted), 'query',
                   'fabscope query DB counter-checks --param verdict=more')
         AS evidence
  FROM counter_check /*scan*/
 WHERE what = 'drops'
