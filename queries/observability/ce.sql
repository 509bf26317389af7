-- Can congestion marks (CE) be seen here?
-- A mirror of incoming packets copies them before this switch marks them.
SELECT id AS tap_id, 'ce' AS what,
       CASE WHEN ect + ce > 0 THEN 'partial' ELSE 'no' END AS verdict,
       CASE WHEN ect + ce > 0
            THEN 'marks of switches before this point are seen; those of the '
                 || 'mirroring switch only if it mirrors outgoing packets'
            WHEN packets_roce + ifnull(packets_uet, 0) > 0
            THEN 'no packet here can be marked: ECN is off at the hosts, or '
                 || 'the field was rewritten'
            ELSE 'there is no RoCE or Ultra Ethernet packet' END AS why
  FROM tap
