-- When did a flow wait because its receiver was not ready?
-- From the RNR NAK until the sender is where it was.
--
-- into temp.attribution
-- needs recovery
SELECT flow_id, ifnull(detect_ns, first_ns) AS first_ns, last_ns,
       'rnr_wait' AS class, '' AS part, 0 AS replays
  FROM recovery /*scan*/
 WHERE trigger = 'rnr' OR cause = 'rnr'
