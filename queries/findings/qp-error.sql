-- Did queue pairs stop for good, and why?
-- What completes with an error at the sender when it tried too often: retries or
-- RNR retries exceeded.  What a receiver refuses is reported by fatal-nak.
-- needs qp_error
SELECT 'critical' AS severity, max(q.confidence) AS confidence,
       plural(count(*), 'queue pair') || ' '
         || CASE WHEN max(q.confidence) < 0.7 THEN 'about to fail'
                 ELSE 'failed' END || ': '
         || CASE q.error WHEN 'retry' THEN 'transport retry counter exceeded'
                         ELSE 'RNR retry counter exceeded' END
         || CASE q.cause
              WHEN 'never_reached' THEN ', receiver never reached'
              WHEN 'never_this_qp' THEN ', never answered'
              WHEN 'size' THEN ', only large packets'
              WHEN 'this_qp' THEN ', others went on'
              WHEN 'path_died' THEN ', path failed'
              WHEN 'silent_peer' THEN ', receiver or path failed'
              WHEN 'return_path' THEN ', ACKs lost on the reverse path'
              WHEN 'not_ready' THEN ', no receive WQE posted'
              ELSE '' END
         || ': ' || q.src || ' > ' || q.dst
         || CASE WHEN count(*) = 1
                 THEN printf(', QP 0x%06x', min(f.dst_qp)) ELSE '' END
         AS title,
       'The work request completes at ' || q.src || ' with '
         || CASE q.error WHEN 'retry' THEN 'IBV_WC_RETRY_EXC_ERR (12)'
                         ELSE 'IBV_WC_RNR_RETRY_EXC_ERR (13)' END
         || '. ' || q.why
         || CASE WHEN count(q.error_log_id) > 0
                 THEN ' A log says so too: '
                   || group_concat(DISTINCT s.path || ' line ' || l.line)
                   || CASE WHEN max(abs(l.shift_ns)) > 5000000000
                           THEN ', whose clock is '
                             || human_ns(max(abs(l.shift_ns))) || ' off'
                           ELSE '' END || '.' ELSE '' END AS detail,
       CASE q.cause
         WHEN 'never_reached'
         THEN 'Check GID index and addresses of both ends, routes in both '
           || 'directions, ACLs for UDP port 4791, and that RDMA runs on '
           || q.dst || '.'
         WHEN 'never_this_qp'
         THEN 'Check what both applications exchanged (QP number, GID, P_Key), '
           || 'and that the receiver had its queue pair ready first.'
         WHEN 'size'
         THEN 'Compare the MTU of every link between the hosts with the path '
           || 'MTU of the queue pair and 58 to 98 bytes of headers.'
         WHEN 'this_qp'
         THEN 'Look whether ' || q.dst || ' closed this queue pair, and at the '
           || 'ECMP members that UDP source port '
           || ifnull(min(f.udp_sport), '') || ' takes.'
         WHEN 'return_path'
         THEN 'Look at the path from ' || q.dst || ' to ' || q.src
           || ' downstream of this capture point, and at the NIC of ' || q.src || '.'
         WHEN 'not_ready'
         THEN 'Look at the receiving application: does it post receives in '
           || 'time, and has rnr_retry a value that suits it?'
         ELSE 'Look at ' || q.dst || ' and at the links and switches towards '
           || 'it, at that time: link down, route withdrawal, PFC watchdog, a '
           || 'host that failed.' END AS action,
       min(q.tap_id) AS tap_id,
       CASE WHEN count(*) = 1 THEN q.flow_id END AS flow_id,
       min(q.ns) AS first_ns, max(q.dead_ns) AS last_ns,
       json_object('frames', json_array(q.frame_first, q.frame),
                   'flows', json_group_array(q.flow_id),
                   'numbers', json_object('tries', q.tries,
                                          'queue_pairs', count(*)),
                   'query', 'fabscope query DB qp-errors') AS evidence
  FROM (SELECT * FROM qp_error /*scan*/ ORDER BY ns, id) q
  JOIN flow f ON f.id = q.flow_id
  LEFT JOIN error_log l ON l.id = q.error_log_id
  LEFT JOIN evidence_source s ON s.id = l.source_id
 WHERE q.error IN ('retry', 'rnr_retry')
 GROUP BY q.error, q.cause, q.src, q.dst
