-- Is Ultra Ethernet traffic analysed?
SELECT id AS tap_id, 'uet' AS what, 'no' AS verdict,
       CASE WHEN packets_uet > 0
            THEN human_count(packets_uet)
                 || ' Ultra Ethernet packets are counted, not analysed'
            WHEN packets_not_uet > 0
            THEN 'no Ultra Ethernet, but ' || human_count(packets_not_uet)
                 || ' packets of something else on its port or IP protocol'
            ELSE 'there is no Ultra Ethernet packet' END AS why
  FROM tap
