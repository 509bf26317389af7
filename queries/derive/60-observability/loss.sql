-- Are losses observable here?
--
-- into observability
SELECT tap_id, 'loss' AS what,
       CASE WHEN ifnull(packets_both, 0) = 0 THEN 'no'
            WHEN packets_both < 0.999 * connected_packets
              OR low_confidence OR flows_sprayed > 0
              OR connected_packets < packets THEN 'partial'
            ELSE 'yes' END AS verdict,
       CASE WHEN ifnull(packets, 0) = 0 THEN 'there is no packet of a flow'
            WHEN ifnull(connected_packets, 0) = 0 AND hidden > 0
            THEN 'the packets are encrypted (TSS): PSNs and ACKs cannot be '
                 || 'read'
            WHEN ifnull(connected_packets, 0) = 0 AND unnumbered > 0
            THEN 'RUDI does not number its packets: a retransmission is seen, '
                 || 'but not whether the packet or its ACK was lost'
            WHEN ifnull(connected_packets, 0) = 0 AND dc > 0
            THEN 'DC (Dynamically Connected) is only counted: its headers are '
                 || 'not public, so its PSNs and ACKs are not followed'
            WHEN ifnull(connected_packets, 0) = 0
            THEN 'UD, UC and UUD do not acknowledge: a loss and a capture '
                 || 'gap look the same'
            WHEN ifnull(packets_both, 0) = 0
            THEN 'without ACKs a PSN gap can be a loss or a packet that was '
                 || 'not captured'
            WHEN flows_sprayed > 0
            THEN 'not for ' || plural(flows_sprayed, 'sprayed flow')
                 || ', parts of which take other links'
            WHEN low_confidence
            THEN 'LOW CONFIDENCE: '
                 || human_share(missing_share) || ' of the packets were not captured'
            WHEN packets_both < 0.999 * connected_packets
            THEN 'only for the ' || plural(flows_both, 'flow')
                 || ' seen in both directions'
            WHEN connected_packets < packets
            THEN 'not for UD, UC and UUD, which do not acknowledge, nor for '
                 || 'RUDI, which does not number'
                 || iif(dc > 0, ', nor for DC, whose headers are not public',
                        '')
                 || iif(hidden > 0, ', nor for what is encrypted (TSS)', '')
            ELSE 'every flow is seen in both directions' END AS why
  FROM coverage c
  LEFT JOIN (SELECT tap_id AS id,
                    sum(packets * (transport = 'UET-TSS')) AS hidden,
                    sum(packets * (transport = 'UET-RUDI')) AS unnumbered,
                    sum(packets * (transport = 'DC')) AS dc
               FROM flow_sum /*scan*/ GROUP BY tap_id) h
    ON h.id = c.tap_id
