-- Can congestion notification packets (CNP) be seen here?
--
-- into observability
SELECT t.id AS tap_id, 'cnp' AS what,
       CASE WHEN t.packets_cnp > 0
              OR c.packets_both > 0
                 AND c.packets_both >= 0.999 * c.connected_packets THEN 'yes'
            WHEN c.packets_both > 0 THEN 'partial' ELSE 'no' END AS verdict,
       CASE WHEN t.packets_cnp > 0
            THEN plural(t.packets_cnp, 'CNP') || ' in the capture'
            WHEN c.packets_both > 0
            THEN 'no CNP is in the capture, although the direction they '
                 || 'would take is'
            ELSE 'the direction that CNPs would take is not seen here' END
         AS why
  FROM tap t
  JOIN coverage c ON c.tap_id = t.id
