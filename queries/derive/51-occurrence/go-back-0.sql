-- Which senders start a whole message again after a loss inside it?
--
-- into temp.occurrence
SELECT 'go_back_0' AS kind, f.id AS flow_id, f.tap_id, f.src, f.dst,
       f.recoveries AS occurrences, f.retransmitted AS retransmitted_packets,
       f.retransmitted_bytes AS retransmitted_bytes, f.recovery_ns AS cost_ns,
       f.first_ns, f.last_ns,
       (SELECT frame_first FROM recovery WHERE flow_id = f.id
         ORDER BY first_ns LIMIT 1) AS frame,
       0.8 AS confidence
  FROM flow f
 WHERE f.impaired = 1 AND f.recovery = 'go_back_0'
