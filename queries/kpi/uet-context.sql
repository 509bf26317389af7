-- 6.1, 6.2, 6.7 How fast are packet delivery contexts set up, and how many?
-- A context at several taps counts once.
WITH p AS (
  SELECT flow_id, opened_ns, handshake_ns, syn_bytes,
         ifnull(closed_ns, (SELECT last_ns FROM flow WHERE id = flow_id))
           AS closed_ns
    FROM pdc /*scan*/
   WHERE role = 'initiator' AND opened_ns IS NOT NULL),
o AS (
  SELECT opened_ns, handshake_ns, syn_bytes, closed_ns
    FROM p
   WHERE NOT EXISTS (SELECT 1 FROM twin)
  UNION ALL
  SELECT min(opened_ns), max(handshake_ns), max(syn_bytes), max(closed_ns)
    FROM p
    LEFT JOIN twin k ON k.flow_id = p.flow_id
   WHERE EXISTS (SELECT 1 FROM twin)
   GROUP BY ifnull(k.once_id, p.flow_id)),
a AS MATERIALIZED (
  SELECT count(*) AS n, avg(handshake_ns) AS handshake,
         count(handshake_ns) AS answered, avg(syn_bytes) AS early,
         max(opened_ns) - min(opened_ns) AS span,
         most_at_once(opened_ns, closed_ns) AS most
    FROM o)
SELECT 'First-packet latency' AS name, '6.2' AS section, 10 AS place,
       handshake / 1e3 AS value, 'us' AS unit, '1T' AS class,
       0.8 AS confidence,
       'contexts whose set-up and first answer are in the capture' AS missing,
       'first packet with SYN to first answer, mean' AS note,
       answered AS samples
  FROM a
UNION ALL
SELECT 'Data before handshake', '6.2', 11, CASE WHEN n > 0 THEN early END,
       'bytes', '1T', 0.9, 'contexts whose set-up is in the capture',
       'payload sent before the first answer, mean', n
  FROM a
UNION ALL
SELECT 'PDC Establishment Rate', '6.7', 1,
       CASE WHEN n > 1 THEN 1e9 * (n - 1) / nullif(span, 0) END, '1/s', '1T',
       0.8, 'two contexts or more whose set-up is in the capture',
       'what this traffic asked for, not what is possible', n
  FROM a
UNION ALL
SELECT 'Concurrent PDCs, most', '6.7', 2, most, 'contexts', '1T', 0.8,
       'contexts whose set-up is in the capture',
       'what this traffic used, not what is possible', n
  FROM a
UNION ALL
SELECT 'QP or PDC count, sustained', '6.1', 30, nullif(sum(flows), 0),
       'contexts', '1T', 0.9, 'flows with payload',
       'those that sent payload in this capture', sum(flows)
  FROM service /*scan*/ WHERE carried
