-- What do the flows of each tap and kind add up to?
-- Rows that are equal in columns of one word become one: fold.c.
--
-- fold flow_sum
SELECT tap_id, transport, ifnull(spray_suspect, 0) AS sprayed,
       requests > 0 OR responses > 0 AS numbered, payload_bytes > 0 AS carried,
       visibility, pairing IS NOT NULL AS paired,
       id AS "min first_id", 1 AS "sum flows", packets AS "sum packets",
       bytes + 24 * packets AS "sum wire", goodput_bytes AS "sum goodput",
       expected AS "sum expected",
       CASE WHEN capture_missing IS NOT NULL THEN expected END AS "sum checked",
       capture_missing AS "sum capture_missing",
       lost_upstream + lost_downstream_min AS "sum lost_min",
       lost_upstream + lost_downstream_max + unresolved AS "sum lost_max",
       unresolved AS "sum unresolved", retransmitted AS "sum retransmitted",
       reordered AS "sum reordered", spurious AS "sum spurious",
       timeouts AS "sum timeouts", nak_seq + implied_nak AS "sum naks",
       rnr_nak AS "sum rnr", first_ns AS "min first_ns",
       last_ns AS "max last_ns", ect_data AS "sum ect_data",
       ce_data AS "sum ce_data", not_ect_data AS "sum not_ect_data",
       dscp AS "min dscp_min", dscp AS "max dscp_max", pcp AS "min pcp_min",
       pcp AS "max pcp_max", latency_min_ns AS "min least",
       latency_max_ns AS "max most",
       1.0 * latency_mean_ns * messages_completed AS "sum latency",
       CASE WHEN latency_mean_ns IS NOT NULL
            THEN messages_completed END AS "sum timed",
       rtt_receiver_ns AS "min rtt", rtt_receiver_ns IS NOT NULL AS "sum rtts",
       trimmed AS "sum trimmed",
       icrc_good AS "sum crc_good", icrc_bad AS "sum crc_bad"
  FROM flow /*scan*/
