-- When did a flow wait for credit?
-- End-to-end credit of RC, and UEC CBFC.
--
-- into temp.attribution
SELECT flow_id, ns - value AS first_ns, ns AS last_ns, 'credit_wait' AS class,
       '' AS part, 0 AS replays
  FROM event
 WHERE kind = 'credit_stall' AND value > 0
UNION ALL
SELECT flow_id, first_ns, last_ns, 'credit_wait', '', 0
  FROM stall /*scan*/
 WHERE cause = 'uec-cbfc'
