-- Do counters say what cannot be, if the packets are right?
-- The packets decide: the counter is of another port or time, does not count this,
-- or does not move.  Nothing else is changed by it.
-- needs counter_check
SELECT 'warning' AS severity, 0.9 AS confidence,
       'A counter contradicts the packets: ' || k.reason AS title,
       'The verdict follows the packets, not the counter.'
         AS detail,
       k.settle AS action, CASE WHEN count(*) = 1 THEN k.tap_id END AS tap_id,
       CASE WHEN count(*) = 1 THEN k.incident_id END AS incident_id,
       json_object('numbers', json_object('counted', k.counted,
                                          'packets_min', k.packets_min,
                                          'packets_max', k.packets_max),
                   'query', 'fabscope query DB counter-checks --param verdict='
                            || 'contradicts') AS evidence
  FROM counter_check k /*scan*/
 WHERE k.verdict = 'contradicts'
 GROUP BY k.reason
