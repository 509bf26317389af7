-- Did retransmission timers fire because senders were paused?
-- needs stall
WITH t AS (
  SELECT r.id, r.flow_id, r.tap_id, r.frame_first, r.idle_ns, r.first_ns,
         r.resent_ns, r.retransmitted_packets, l.source_mac, l.priority
    FROM (SELECT *, retransmit_ns AS resent_ns FROM recovery /*scan*/
           WHERE trigger = 'timeout') r
    JOIN stall l ON l.flow_id = r.flow_id AND l.cause = 'pause'
                AND l.first_ns <= r.resent_ns AND l.last_ns >= r.first_ns
   WHERE l.last_ns - l.first_ns >= 0.8 * r.idle_ns
   GROUP BY r.id)
SELECT 'warning' AS severity, 0.8 AS confidence,
       'RTOs expired while senders were paused, '
         || times(count(*)) AS title,
       'The priority was paused during the idle time before them. '
         || plural(sum(retransmitted_packets), 'packet') || ' retransmitted, '
         || 'perhaps without need: packets that are paused are not lost.'
           AS detail,
       'Remove the cause of the pauses; RTOs shorter than pauses make them '
         || 'worse.' AS action,
       CASE WHEN min(tap_id) = max(tap_id) THEN max(tap_id) END AS tap_id,
       min(first_ns) AS first_ns, max(resent_ns) AS last_ns,
       sum(idle_ns) AS cost_ns,
       json_object('frames',
                   (SELECT json_group_array(json_object('tap', tap_id, 'frame',
                                                        frame_first))
                      FROM (SELECT * FROM t ORDER BY idle_ns DESC, id
                             LIMIT 5)),
                   'flows', json_group_array(DISTINCT flow_id),
                   'numbers', json_object('timeouts', count(*)),
                   'query', 'fabscope query DB stalls') AS evidence
  FROM t
HAVING count(*) > 0
