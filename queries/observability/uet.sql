-- Is Ultra Ethernet traffic analysed?
SELECT id AS tap_id, 'uet' AS what, 'no' AS verdict,
       CASE WHEN packets_uet > 0
            THEN human_count(packets_uet)
                 || ' Ultra Ethernet packets are counted, not analysed'
            ELSE 'there is no Ultra Ethernet packet' END AS why
  FROM tap
