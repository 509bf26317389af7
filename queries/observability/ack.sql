-- Are the answers of the receivers (ACK, NAK) in the capture?
SELECT tap_id, 'ack' AS what,
       CASE WHEN packets_both >= 0.999 * connected_packets THEN 'yes'
            WHEN packets_both > 0 THEN 'partial' ELSE 'no' END AS verdict,
       CASE WHEN ifnull(connected_packets, 0) = 0
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
            ELSE 'only one direction is in the capture' END AS why
  FROM coverage
