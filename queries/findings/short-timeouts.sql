-- Do senders time out earlier than their connection says?
-- A signature of adaptive retransmission, not an error.
-- needs recovery
SELECT 'info' AS severity, 0.6 AS confidence,
       'RTOs shorter than negotiated: adaptive retransmission' AS title,
       plural(count(*), 'timeout') || ' came after '
         || human_ns(min(idle_ns)) || ' to ' || human_ns(max(idle_ns))
         || ' of idle time; the connections negotiated at least '
         || human_ns(min(negotiated)) || '.' AS detail,
       NULL AS action,
       min(first_ns) AS first_ns, max(last_ns) AS last_ns,
       json_object('numbers', json_object('timeouts', count(*)),
                   'query',
                   'fabscope query DB timeouts') AS evidence
  FROM (SELECT r.first_ns, r.last_ns, r.idle_ns,
               4096 * (1 << f.ack_timeout_code) AS negotiated
          FROM recovery /*scan*/ r
          JOIN flow f ON f.id = r.flow_id
         WHERE r.trigger = 'timeout'
           AND f.ack_timeout_code BETWEEN 1 AND 31)
 WHERE idle_ns < 0.9 * negotiated
HAVING count(*) > 0
