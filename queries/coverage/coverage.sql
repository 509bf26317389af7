-- On how much of the traffic at each tap do the verdicts rest?
-- A tap without flows has a row as well.  The gate of loss verdicts is that of
-- reference 3.5.5: capture loss above 0.1 %, or ten times the losses.
SELECT t.id AS tap_id,
       sum(f.packets) AS packets,
       count(f.id) AS flows,
       sum(f.answered) AS connected_flows,
       sum(f.answered * f.packets) AS connected_packets,
       sum(f.answered AND f.visibility = 'both') AS flows_both,
       sum((f.answered AND f.visibility = 'both') * f.packets)
         AS packets_both,
       sum(f.answered AND f.visibility = 'fwd') AS flows_fwd,
       sum(f.answered AND f.visibility = 'rev') AS flows_rev,
       sum(f.answered AND f.pairing IS NULL) AS flows_unpaired,
       sum(f.spray_suspect) AS flows_sprayed,
       sum(f.expected) AS expected,
       sum(f.capture_missing) AS capture_missing,
       CAST(sum(f.capture_missing) AS REAL) / nullif(sum(f.expected), 0)
         AS missing_share,
       sum(f.lost) AS lost,
       sum(f.unresolved) AS unresolved,
       ifnull(sum(f.capture_missing) > 0.001 * sum(f.expected)
              OR sum(f.capture_missing) > 10 * nullif(sum(f.lost), 0), 0)
         AS low_confidence
  FROM tap t
  LEFT JOIN (SELECT id, tap_id, packets, visibility, pairing, spray_suspect,
                    expected, capture_missing, unresolved,
                    transport IN ('RC', 'XRC', 'DC', 'UET-ROD', 'UET-RUD')
                      AS answered,
                    coalesce(lost_upstream + lost_downstream_min,
                             lost_upstream, lost_downstream_min) AS lost
               FROM flow /*scan*/) f ON f.tap_id = t.id
 GROUP BY t.id
