-- Can UEC's link-level flow control and retry be followed here?
-- Asked only where there is Ultra Ethernet or its flow control.
--
-- into observability
SELECT t.id AS tap_id, 'uec_cbfc' AS what,
       CASE WHEN EXISTS (SELECT 1 FROM uec_credit c WHERE c.tap_id = t.id)
            THEN 'partial' ELSE 'no' END AS verdict,
       CASE WHEN EXISTS (SELECT 1 FROM uec_credit c WHERE c.tap_id = t.id)
            THEN 'UEC CBFC: credits used are in the capture; credits returned '
                 || 'travel as ordered sets, which are in no Ethernet '
                 || 'capture'
            ELSE 'UEC CBFC: no credit update is in the capture; a mirror port '
                 || 'does not copy them' END AS why
  FROM tap t
 WHERE t.packets_uet > 0
    OR EXISTS (SELECT 1 FROM uec_credit c WHERE c.tap_id = t.id)
UNION ALL
SELECT t.id, 'uec_llr', 'no',
       'link-level retry (LLR) uses the preamble and ordered sets: neither is '
         || 'in an Ethernet capture'
  FROM tap t
 WHERE t.packets_uet > 0
    OR EXISTS (SELECT 1 FROM uec_credit c WHERE c.tap_id = t.id)
