-- Are there flows of which only one direction is in the capture?
-- param share share 0.01  mentioned when so many of the packets are concerned
SELECT 'info' AS severity, 0.95 AS confidence,
       'Only one direction is visible of '
         || plural(sum(flows_fwd + flows_rev), 'flow') AS title,
       human_share(1.0 - 1.0 * sum(packets_both) / sum(connected_packets))
         || ' of the packets belong to flows whose '
         || CASE WHEN sum(flows_fwd) > 0 AND sum(flows_rev) > 0
                 THEN 'other direction'
                 WHEN sum(flows_fwd) > 0 THEN 'answers (ACK, NAK, CNP)'
                 ELSE 'requests' END
         || ' took another way. For them loss and capture loss cannot be '
         || 'told apart, and there is no latency.' AS detail,
       'Capture at the host''s own link, where both directions pass.'
         AS action,
       json_object('numbers',
                   json_object('flows_fwd', sum(flows_fwd),
                               'flows_rev', sum(flows_rev),
                               'connected_flows', sum(connected_flows)),
                   'query', 'fabscope query DB coverage') AS evidence
  FROM coverage
HAVING sum(connected_packets) - sum(packets_both)
       > :share * sum(connected_packets)
   AND sum(flows_fwd + flows_rev) > 0
