-- Do counters complete what the packets only bound?
-- Where packets were lost, and how many: by the word of the counter, within what
-- the packets allow.
-- needs counter_check
SELECT 'info' AS severity, 0.85 AS confidence, k.reason AS title,
       'According to the counter, and consistent with the packets.'
         AS detail,
       CASE WHEN k.incident_id IS NULL THEN 'Nothing to do.'
            ELSE 'Look at the queue and the buffer of this port, and at who '
              || 'sends to it.' END AS action,
       CASE WHEN count(*) = 1 THEN k.tap_id END AS tap_id,
       CASE WHEN count(*) = 1 THEN k.incident_id END AS incident_id,
       json_object('numbers', json_object('counted', k.counted,
                                          'packets_min', k.packets_min,
                                          'packets_max', k.packets_max),
                   'query', 'fabscope query DB counter-checks --param verdict='
                            || 'explains') AS evidence
  FROM counter_check k /*scan*/
 WHERE k.verdict = 'explains'
   AND k.what IN ('losses', 'rdma_rx_packets', 'rdma_tx_packets')
   AND (k.what = 'losses' OR k.packets_max > k.packets_min)
 GROUP BY k.reason
