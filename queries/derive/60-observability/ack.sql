-- Are the answers of the receivers (ACK, NAK) in the capture?
--
-- into observability
SELECT tap_id, 'ack' AS what,
       CASE WHEN ifnull(connected_packets, 0) = 0 AND dc > 0 THEN 'no'
            WHEN packets_both >= 0.999 * connected_packets THEN 'yes'
            WHEN packets_both > 0 THEN 'partial' ELSE 'no' END AS verdict,
       CASE WHEN ifnull(connected_packets, 0) = 0 AND dc > 0
            THEN plural(dc, 'packet') || ' of DC (Dynamically Connected) '
                 || 'are only counted: its headers are not public, so its '
                 || 'ACKs cannot be read'
            WHEN ifnull(connected_packets, 0) = 0
            THEN 'no flow here has a transport that acknowledges (RC, XRC, '
                 || 'RUD, ROD)'
            WHEN packets_both >= 0.999 * connected_packets
            THEN 'both directions of ' || plural(flows_both, 'flow')
                 || ' are in the capture'
            WHEN packets_both > 0
            THEN 'both directions of '
                 || human_share(1.0 * packets_both / connected_packets)
                 || ' of the packets are in the capture; the rest takes '
                 || 'another path'
            ELSE 'only one direction is seen here' END AS why
  FROM coverage c
  LEFT JOIN (SELECT tap_id AS id, sum(packets * (transport = 'DC')) AS dc
               FROM flow_sum /*scan*/ GROUP BY tap_id) h
    ON h.id = c.tap_id
