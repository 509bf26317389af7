-- Did a switch throw away what it was not allowed to send (PFC watchdog)?
-- A storm stands, and the pauses that it had caused further up end: what they
-- held back goes somewhere, and not out of the paused port.
-- param gone duration 1ms  the pauses upstream end this long before the storm
-- needs pause_sender
WITH w AS (
  SELECT e.cause_id, r.tap_id, r.source_mac, r.priority, r.frame,
         min(u.last_ns) AS let_go_ns, r.first_ns, r.last_ns
    FROM storm_edge e /*scan*/
    JOIN storm r ON r.id = e.cause_id
    JOIN storm u ON u.id = e.effect_id
   WHERE u.last_ns < r.last_ns - :gone
     AND NOT u.standing
     AND r.level <> 'deadlock'
   GROUP BY e.cause_id),
lost AS (
  SELECT w.cause_id, count(*) AS occurrences, sum(v.retransmitted_packets) AS retransmitted,
         json_group_array(DISTINCT v.flow_id) AS ids
    FROM w
    JOIN (SELECT * FROM recovery /*scan*/ WHERE trigger = 'timeout'
           LIMIT 100000) v
      ON v.last_ns >= w.let_go_ns AND v.first_ns <= w.last_ns
    JOIN flow g ON g.id = v.flow_id
   WHERE (g.src, g.dst, g.dst_qp) IN
         (SELECT f.src, f.dst, f.dst_qp
            FROM stalled_flow h /*scan*/ JOIN flow f ON f.id = h.flow_id
           WHERE h.part = 'contributor' AND h.storm_id IS NOT NULL)
   GROUP BY w.cause_id)
SELECT 'warning' AS severity, 0.6 AS confidence,
       'A switch probably drops what ' || p.who
         || ' does not accept (PFC watchdog)' AS title,
       human_ns(w.let_go_ns - w.first_ns) || ' after the storm began, the '
         || 'pauses that it had caused ended, although the storm lasted '
         || 'another '
         || human_ns(w.last_ns - w.let_go_ns) || '; senders to that port '
         || 'waited for their RTO '
         || times(l.occurrences) || '. What is lost then is lost by '
         || 'design, not by congestion.' AS detail,
       'Read the watchdog counters of the switch port; the cause is the storm.'
         AS action,
       w.tap_id, w.let_go_ns AS first_ns, w.last_ns,
       json_object('frames', json_array(json_object('tap', w.tap_id,
                                                    'frame', w.frame)),
                   'flows', json(l.ids),
                   'numbers', json_object('occurrences', l.occurrences,
                                          'after_ns',
                                          w.let_go_ns - w.first_ns),
                   'query', 'fabscope query DB storms --param root='
                            || w.cause_id) AS evidence
  FROM w
  JOIN lost l ON l.cause_id = w.cause_id
  JOIN pause_sender p ON p.tap_id = w.tap_id AND p.source_mac = w.source_mac
               AND p.priority IS w.priority
