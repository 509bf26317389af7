-- Can end-to-end credits be followed here?
SELECT tap_id, 'credit' AS what,
       CASE WHEN packets_both >= 0.999 * connected_packets THEN 'yes'
            WHEN packets_both > 0 THEN 'partial' ELSE 'no' END AS verdict,
       CASE WHEN packets_both > 0
            THEN 'acknowledgements, which carry them, are in the capture'
            ELSE 'acknowledgements, which carry them, are not in the capture'
            END AS why
  FROM coverage
