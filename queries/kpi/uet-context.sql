-- 6.1, 6.2, 6.7 How fast are packet delivery contexts set up, and how many?
-- A context at several taps counts once.
WITH o AS MATERIALIZED (
  SELECT min(p.opened_ns) AS opened_ns, max(p.handshake_ns) AS handshake_ns,
         max(p.syn_bytes) AS syn_bytes,
         max(ifnull(p.closed_ns, f.last_ns)) AS closed_ns
    FROM pdc p /*scan*/
    JOIN flow f ON f.id = p.flow_id
    LEFT JOIN twin k ON k.flow_id = p.flow_id
   WHERE p.role = 'initiator' AND p.opened_ns IS NOT NULL
   GROUP BY ifnull(k.once_id, p.flow_id)),
t AS (
  SELECT opened_ns AS ns, 1 AS d FROM o
  UNION ALL SELECT closed_ns, -1 FROM o),
most AS (
  SELECT max(living) AS n
    FROM (SELECT sum(d) OVER (ORDER BY ns, d ROWS UNBOUNDED PRECEDING)
                   AS living FROM t)),
a AS (
  SELECT count(*) AS n, avg(handshake_ns) AS handshake,
         count(handshake_ns) AS answered, avg(syn_bytes) AS early,
         max(opened_ns) - min(opened_ns) AS span
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
SELECT 'Concurrent PDCs, most', '6.7', 2, most.n, 'contexts', '1T', 0.8,
       'contexts whose set-up is in the capture',
       'what this traffic used, not what is possible', a.n
  FROM a, most
UNION ALL
SELECT 'QP or PDC count, sustained', '6.1', 30, nullif(sum(flows), 0),
       'contexts', '1T', 0.9, 'flows with payload',
       'those that sent payload in this capture', sum(flows)
  FROM service /*scan*/ WHERE carried
