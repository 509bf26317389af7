-- Which findings does this result have, and whom are they about?
--
-- into compared_finding
WITH t AS (SELECT sum(packets) AS packets FROM tap /*scan*/)
SELECT f.id, f.rule,
       coalesce(i.src || ' > ' || i.dst, i.dst, i.src, p.name, c.src || ' > '
                || c.dst, 'all') AS subject,
       f.severity, f.title,
       coalesce(i.occurrences, f.evidence ->> '$.numbers.occurrences') AS occurrences,
       f.cost_ns, t.packets
  FROM finding f /*scan*/
  JOIN t
  LEFT JOIN incident i ON i.id = f.incident_id
  LEFT JOIN tap p ON p.id = f.tap_id
  LEFT JOIN flow c ON c.id = f.flow_id
 ORDER BY f.id LIMIT 10000
