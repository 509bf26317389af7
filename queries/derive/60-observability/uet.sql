-- Can Ultra Ethernet be followed here?
-- Encrypted packets (TSS) show neither PSNs nor what they answer.
--
-- into observability
SELECT t.id AS tap_id, 'uet' AS what,
       CASE WHEN ifnull(packets_uet, 0) = 0 THEN 'no'
            WHEN hidden >= packets_uet THEN 'no'
            WHEN hidden > 0 THEN 'partial' ELSE 'yes' END AS verdict,
       CASE WHEN ifnull(packets_uet, 0) = 0 AND uet_unnamed_port IS NOT NULL
            THEN human_count(packets_uet_unnamed) || ' packets to UDP port '
                 || uet_unnamed_port || ' look like Ultra Ethernet: --uet-port '
                 || uet_unnamed_port
            WHEN ifnull(packets_uet, 0) = 0 AND packets_not_uet > 0
            THEN 'no Ultra Ethernet, but ' || human_count(packets_not_uet)
                 || ' packets of something else on its port or IP protocol'
            WHEN ifnull(packets_uet, 0) = 0
            THEN 'there is no Ultra Ethernet packet'
            WHEN hidden > 0
            THEN human_count(hidden) || ' of ' || human_count(packets_uet)
                 || ' packets are encrypted (TSS): keys and counters of their '
                 || 'sources are seen, PSNs and ACKs are not'
            ELSE 'PSNs and ACKs are readable' END AS why
  FROM tap t
  LEFT JOIN (SELECT tap_id, sum(packets) AS hidden FROM flow_sum /*scan*/
              WHERE transport = 'UET-TSS' GROUP BY tap_id) h
    ON h.tap_id = t.id
