-- Are ECN CE marks observable here?
-- A mirror of incoming packets copies them before this switch marks them; CNPs
-- that no mark here explains say that it, or one behind it, does.
--
-- into observability
SELECT t.id AS tap_id, 'ce' AS what,
       CASE WHEN ect + ce > 0 AND ifnull(u.odd < u.cnps, 1) THEN 'partial'
            ELSE 'no' END AS verdict,
       CASE WHEN ect + ce > 0 AND u.odd > 0
            THEN plural(u.odd, 'CNP') || ' of ' || human_count(u.cnps)
                 || ' react to CE marks not seen here: set downstream of this '
                 || 'capture point, or by the mirroring switch'
            WHEN ect + ce > 0
            THEN 'CE marks of upstream switches are seen; those of the '
                 || 'mirroring switch only if it mirrors at egress'
            WHEN packets_roce + packets_uet > 0
            THEN 'no packet is ECN-capable (ECT): ECN is off at the hosts, or '
                 || 'the field was rewritten'
            ELSE 'there is neither a RoCE nor an Ultra Ethernet packet' END AS why
  FROM tap t
  LEFT JOIN (SELECT f.tap_id, sum(c.unexplained) AS odd, sum(c.cnps) AS cnps
               FROM congestion /*scan*/ c
               JOIN flow f ON f.id = c.flow_id
              GROUP BY f.tap_id HAVING sum(c.cnps) > 0) u ON u.tap_id = t.id
