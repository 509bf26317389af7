-- Can end-to-end credits be followed here?
--
-- into observability
SELECT tap_id, 'credit' AS what,
       CASE WHEN ifnull(packets_both, 0) = 0 THEN 'no'
            WHEN packets_both >= 0.999 * connected_packets THEN 'yes'
            ELSE 'partial' END AS verdict,
       CASE WHEN packets_both > 0
            THEN 'ACKs, which carry credits, are in the capture'
            ELSE 'ACKs, which carry credits, are not seen here' END AS why
  FROM coverage
