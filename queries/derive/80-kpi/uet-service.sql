-- 6.1 to 6.4, 6.7 How do the services of Ultra Ethernet and RoCE compare?
-- One row per service and figure, and one per figure of the set-up of
-- contexts.  What is at several taps counts once.
--
-- into kpi
WITH service(service, label, nth) AS (
  VALUES ('UET-ROD', 'ROD', 1), ('UET-RUD', 'RUD', 2),
         ('UET-RUDI', 'RUDI', 3), ('UET-UUD', 'UUD', 4),
         ('RC', 'RoCEv2 RC', 5), ('UC', 'RoCEv2 UC', 6)),
-- One pass over the contexts, few columns, no table of them: there may be very
-- many.  rod, rud: those with payload.
set_up AS NOT MATERIALIZED (
  SELECT p.flow_id, p.opened_ns, p.handshake_ns, p.syn_bytes,
         ifnull(p.closed_ns, f.last_ns) AS closed_ns,
         f.transport = 'UET-ROD' AND f.payload_bytes > 0 AS rod,
         f.transport = 'UET-RUD' AND f.payload_bytes > 0 AS rud
    FROM pdc p /*scan*/
   CROSS JOIN flow f ON f.id = p.flow_id
   WHERE p.opened_ns IS NOT NULL AND p.role = 'initiator'),
once AS NOT MATERIALIZED (
  SELECT opened_ns, handshake_ns, syn_bytes, closed_ns, rod, rud
    FROM set_up
   WHERE (SELECT count(*) FROM same_flow) = 0
   UNION ALL
  SELECT min(opened_ns), max(handshake_ns), max(syn_bytes), max(closed_ns),
         max(rod), max(rud)
    FROM set_up u
    LEFT JOIN same_flow k ON k.flow_id = u.flow_id
   WHERE (SELECT count(*) FROM same_flow) > 0
   GROUP BY ifnull(k.counted_id, u.flow_id)),
a AS MATERIALIZED (
  SELECT count(*) AS n, avg(handshake_ns) AS handshake,
         count(handshake_ns) AS answered, avg(syn_bytes) AS early,
         max(opened_ns) - min(opened_ns) AS span,
         most_at_once(opened_ns, closed_ns) AS most,
         avg(handshake_ns) FILTER (WHERE rod) AS rod,
         count(handshake_ns) FILTER (WHERE rod) AS rods,
         avg(handshake_ns) FILTER (WHERE rud) AS rud,
         count(handshake_ns) FILTER (WHERE rud) AS ruds
    FROM once),
setup(transport, setup, setups) AS (
  SELECT 'UET-ROD', rod, rods FROM a
   UNION ALL
  SELECT 'UET-RUD', rud, ruds FROM a),
s AS MATERIALIZED (
  SELECT transport, sum(flows) AS n, sum(goodput) AS goodput,
         sum(wire) AS wire, sum(reordered) AS reordered, sum(retransmitted) AS retransmitted,
         sum(lost_min) AS lost, sum(expected) AS expected,
         min(least) AS least, max(most) AS most,
         sum(latency) / nullif(sum(timed), 0) AS latency, sum(timed) AS timed,
         nullif(max(last_ns) - min(first_ns), 0) AS ns
    FROM main.service /*scan*/ WHERE carried
   GROUP BY transport),
low AS (SELECT max(low_confidence) AS low FROM coverage),
pfc AS (SELECT sum(packets_pfc + packets_pause) AS frames FROM tap),
v AS (
  SELECT s.*, setup, setups, v.service, v.label, v.nth,
         'traffic of the service ' || v.label AS none
    FROM service v
    LEFT JOIN s ON s.transport = v.service
    LEFT JOIN setup ON setup.transport = v.service)
SELECT 'Throughput, ' || label AS name, '6.1' AS section, nth AS place,
       8.0 * goodput / ns AS value, 'Gb/s' AS unit, 'NT' AS class,
       0.8 AS confidence, none AS missing,
       'goodput over the time it was in use' AS note,
       n AS samples
  FROM v
UNION ALL
SELECT 'Efficiency, ' || label, '6.1', 10 + nth, 100.0 * goodput / wire, '%',
       '1T', 0.9, none, 'goodput over bytes on the wire', n
  FROM v
UNION ALL
SELECT 'Set-up time, ' || label, '6.1', 20 + nth, setup / 1e3, 'us', '1T', 0.8,
       CASE WHEN n IS NULL THEN none
            WHEN service LIKE 'UET-%'
            THEN 'contexts of ' || label || ' whose set-up is in the capture'
            ELSE 'host timestamps: queue pair set-up is not in their packets' END,
       'first packet to first ACK, mean', setups
  FROM v WHERE service NOT IN ('UET-RUDI', 'UET-UUD')
UNION ALL
SELECT 'Message latency, mean, ' || label, '6.2', nth, latency / 1e3, 'us',
       '1T', 0.7, CASE WHEN n IS NULL THEN none
                       ELSE 'completed messages of ' || label
                            || ', both directions' END,
       'first packet to ACK, at this capture point', timed
  FROM v WHERE service NOT IN ('UET-UUD', 'UC')
UNION ALL
SELECT 'Out-of-order share, ' || label, '6.3', 20 + nth,
       100.0 * reordered / nullif(expected, 0), '%', '1T', 0.7,
       CASE WHEN n IS NULL THEN none ELSE 'packets with PSNs' END,
       CASE WHEN service = 'UET-RUD' THEN 'no fault: RUD is unordered' END,
       expected
  FROM v WHERE service NOT IN ('UET-UUD', 'UET-RUDI')
UNION ALL
SELECT 'Retransmitted share, ' || label, '6.3', 30 + nth,
       100.0 * retransmitted / nullif(expected, 0), '%', '1T', 0.8,
       CASE WHEN n IS NULL THEN none ELSE 'packets with PSNs' END, NULL,
       expected
  FROM v WHERE service NOT IN ('UET-UUD', 'UC')
UNION ALL
SELECT 'Loss without PFC, ' || label, '6.4', 10 + nth,
       CASE WHEN pfc.frames = 0 AND NOT low.low
            THEN 1e6 * lost / nullif(expected, 0) END, 'ppm', '1T', 0.6,
       CASE WHEN n IS NULL THEN none
            WHEN low.low THEN 'a better capture: too much was not captured'
            WHEN pfc.frames > 0 THEN 'a fabric without PFC: PFC frames are in the capture'
            ELSE 'packets with PSNs' END,
       'no PFC in the capture, which does not prove that there was none',
       expected
  FROM v, low, pfc WHERE service IN ('UET-ROD', 'UET-RUD', 'RC')
UNION ALL
SELECT 'First-packet latency', '6.2', 10, handshake / 1e3, 'us', '1T', 0.8,
       'PDCs whose set-up and first ACK are in the capture',
       'first packet with SYN to first ACK, mean', answered
  FROM a
UNION ALL
SELECT 'Data before handshake', '6.2', 11, CASE WHEN n > 0 THEN early END,
       'bytes', '1T', 0.9, 'PDCs whose set-up is in the capture',
       'payload sent before the first ACK, mean', n
  FROM a
UNION ALL
SELECT 'PDC Establishment Rate', '6.7', 1,
       CASE WHEN n > 1 THEN 1e9 * (n - 1) / nullif(span, 0) END, '1/s', '1T',
       0.8, 'two PDCs or more whose set-up is in the capture',
       'demand of this traffic, not capacity', n
  FROM a
UNION ALL
SELECT 'Concurrent PDCs, most', '6.7', 2, most, 'PDCs', '1T', 0.8,
       'PDCs whose set-up is in the capture',
       'use by this traffic, not capacity', n
  FROM a
UNION ALL
SELECT 'QP or PDC count, sustained', '6.1', 30, nullif(sum(flows), 0),
       'PDCs', '1T', 0.9, 'flows with payload',
       'those that sent payload in this capture', sum(flows)
  FROM main.service /*scan*/ WHERE carried
