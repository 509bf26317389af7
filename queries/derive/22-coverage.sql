-- On how much of the traffic at each tap do the verdicts rest?
-- A tap without flows has a row as well.  Checksums of RoCE are counted at taps,
-- those of Ultra Ethernet with flows; encrypted packets have none.  Loss
-- has low confidence where more than 0.1 % was not captured, or ten times what was
-- lost.
--
-- into coverage
WITH sums AS (
  SELECT tap_id, sum(packets) AS packets, sum(flows) AS flows,
         sum(answered * flows) AS connected_flows,
         sum(answered * packets) AS connected_packets,
         sum(answered * (visibility = 'both') * flows) AS flows_both,
         sum(answered * (visibility = 'both') * packets) AS packets_both,
         sum(answered * (visibility = 'fwd') * flows) AS flows_fwd,
         sum(answered * (visibility = 'rev') * flows) AS flows_rev,
         sum(answered * (1 - paired) * flows) AS flows_unpaired,
         sum(sprayed * flows) AS flows_sprayed, sum(expected) AS expected,
         sum(checked) AS checked, sum(capture_missing) AS capture_missing,
         sum(lost_min) AS lost, sum(unresolved) AS unresolved,
         sum(uet * ifnull(crc_good, 0)) AS crc_good,
         sum(uet * ifnull(crc_bad, 0)) AS crc_bad, sum(uet * packets) AS crc
    FROM (SELECT *, transport IN ('RC', 'XRC', 'UET-ROD', 'UET-RUD')
                      AS answered,
                 transport LIKE 'UET-%' AND transport <> 'UET-TSS' AS uet
            FROM flow_sum /*scan*/)
   GROUP BY tap_id)
SELECT t.id AS tap_id, s.packets, ifnull(flows, 0) AS flows, connected_flows,
       connected_packets, flows_both, packets_both, flows_fwd, flows_rev,
       flows_unpaired, flows_sprayed, expected, checked, capture_missing,
       CAST(capture_missing AS REAL) / nullif(checked, 0) AS missing_share,
       lost, unresolved,
       ifnull(capture_missing > 0.001 * checked
              OR capture_missing > 10 * nullif(lost, 0), 0) AS low_confidence,
       ifnull(icrc_good, 0) + ifnull(crc_good, 0) AS crc_good,
       ifnull(icrc_bad, 0) + ifnull(crc_bad, 0) AS crc_bad,
       ifnull(icrc_unchecked, 0) + max(0, ifnull(crc - crc_good - crc_bad, 0))
         AS crc_unchecked
  FROM tap t
  LEFT JOIN sums s ON s.tap_id = t.id
