-- Is there Ultra Ethernet on a UDP port that nobody named?
-- It was not analyzed, so nothing else here speaks of it.
WITH p AS (
  SELECT uet_unnamed_port AS port, max(packets_uet_unnamed) AS n,
         CASE WHEN min(id) = max(id) THEN max(id) END AS tap_id,
         min(first_ns) AS first_ns, max(last_ns) AS last_ns
    FROM tap
   WHERE uet_unnamed_port IS NOT NULL
   GROUP BY uet_unnamed_port),
known AS (
  SELECT sum(packets_uet) > 0 AS yes FROM tap)
SELECT 'warning' AS severity, 0.99 AS confidence,
       plural(p.n, 'packet') || ' to UDP port ' || p.port
         || ' look like Ultra Ethernet: --uet-port ' || p.port AS title,
       'They were not analyzed, because that port was not given: the rest of '
         || 'this result does not cover them. Their ACKs name contexts and '
         || 'PSNs of the other direction, or their CRC is right; neither holds '
         || 'for traffic that only resembles Ultra Ethernet.' AS detail,
       'Analyze again with --uet-port ' || p.port
         || CASE WHEN known.yes
                 THEN ' and a second --uet-port for the port so far (the '
                   || 'option replaces the default)'
                 ELSE '' END
         || ', or name it in the topology file (uet-port).' AS action,
       p.tap_id, p.first_ns, p.last_ns,
       json_object('numbers', json_object('port', p.port, 'packets', p.n),
                   'query', 'fabscope query DB taps') AS evidence
  FROM p, known
