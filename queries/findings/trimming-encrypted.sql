-- Did switches trim encrypted packets?
-- As rule U5, of Ultra Ethernet under TSS: that a packet was cut can be seen, its
-- refusal and its copy cannot.  Of a source that several places saw, the one
-- that saw most tells.
-- needs tss
WITH most AS (
  SELECT *, row_number() OVER (PARTITION BY src, sdi, ssi
                               ORDER BY trimmed DESC, tap_id) AS nth
    FROM tss /*scan*/
   WHERE trimmed > 0)
SELECT 'warning' AS severity, 0.95 AS confidence,
       plural(sum(m.trimmed), 'encrypted packet')
         || ' trimmed upstream of this capture point: '
         || CASE WHEN count(DISTINCT m.src) = 1 THEN 'from ' || max(m.src)
                 ELSE 'from ' || plural(count(DISTINCT m.src), 'host') END
         || CASE WHEN (SELECT count(*) FROM tap) > 1
                 THEN ifnull(' at ' || t.name, '') ELSE '' END AS title,
       'Queues were full and switches trimmed '
         || human_share(1.0 * sum(m.trimmed) / sum(m.packets))
         || ' of the packets of these sources. What was refused and '
         || 'retransmitted, and what it cost, is encrypted.' AS detail,
       'Look at the load of the links on the path to here, and at how many '
         || 'senders send to one receiver at a time.' AS action,
       m.tap_id, min(m.first_ns) AS first_ns, max(m.last_ns) AS last_ns,
       json_object('numbers', json_object('trimmed', sum(m.trimmed),
                                          'packets', sum(m.packets)),
                   'query', 'fabscope query DB tss') AS evidence
  FROM most m
  JOIN tap t ON t.id = m.tap_id
 WHERE m.nth = 1
 GROUP BY m.tap_id
