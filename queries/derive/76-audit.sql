-- Thresholds and classes, checked.
--
-- A queue first marks, then its senders slow down, and only when that does not
-- suffice it pauses them: XON < Wmin < Wmax < XOFF, and above XOFF there is room
-- for what is still on its way.  CNPs must not wait behind what they are about,
-- and PFC only helps where all devices on the way have it for the same priority.

-- A setting by device, port and number.
CREATE TEMP TABLE set_to AS
SELECT coalesce(s.node, s.address, s.device, s.path) AS device,
       ifnull(s.port, '') AS port, x.name, x.number, max(x.value) AS value
  FROM setting x /*scan*/
  JOIN evidence_source s ON s.id = x.source_id
 GROUP BY 1, 2, x.name, x.number;
CREATE INDEX temp.set_to_by ON set_to(name, device, port, number);
-- The classes that the packets of the capture have.
CREATE TEMP TABLE class AS
SELECT ifnull((SELECT max(dscp_max) FROM flow_sum /*scan*/
                WHERE transport IN ('RC', 'XRC', 'UC', 'UD')
               HAVING min(dscp_min) = max(dscp_max)),
              (SELECT dscp FROM flow /*scan*/
                WHERE dscp IS NOT NULL
                  AND transport IN ('RC', 'XRC', 'UC', 'UD')
                GROUP BY dscp ORDER BY sum(packets) DESC LIMIT 1)) AS data,
       (SELECT dscp_cnp
          FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM tap WHERE packets_cnp > 0))
         CROSS JOIN flow_brief /*scan*/
         WHERE dscp_cnp IS NOT NULL
         GROUP BY dscp_cnp ORDER BY count(*) DESC LIMIT 1) AS cnp;

-- What to do where configuration and packets show the same.
CREATE TEMP TABLE advice(what TEXT PRIMARY KEY, text TEXT);
INSERT INTO temp.advice VALUES
  ('watchdog', 'Switch it on (pfcwd start): one host that sends PFC pause '
     || 'without end stops the fabric.'),
  ('entropy', 'Let NICs take the source port from the queue pairs, or '
     || 'switches hash the destination QP.');

-- ## PFC watchdog

INSERT INTO audit(what, verdict, basis, device, ports, text, action)
SELECT 'watchdog', CASE WHEN value > 0 THEN 'ok' ELSE 'wrong' END,
       'configuration', device, count(*),
       CASE WHEN value > 0
            THEN 'The PFC watchdog is on at ' || plural(count(*), 'port')
              || ' of ' || device
              || CASE WHEN value > 1 THEN ', detection after '
                        || human_ns(value) ELSE '' END
            ELSE 'The PFC watchdog is off at ' || plural(count(*), 'port')
              || ' of ' || device || ' with PFC, among them ' || min(port) END,
       CASE WHEN value > 0 THEN NULL
            ELSE (SELECT text FROM temp.advice WHERE what = 'watchdog') END
  FROM temp.set_to WHERE name = 'watchdog'
 GROUP BY device, value;

-- ## XON < Wmin < Wmax < XOFF

INSERT INTO audit(what, verdict, basis, device, ports, text, action)
WITH t AS (
  SELECT a.device, a.port, a.number, a.value AS low, b.value AS high,
         c.value AS xon, d.value AS xoff
    FROM temp.set_to a
    LEFT JOIN temp.set_to b ON b.name = 'ecn_max' AND b.device = a.device
                           AND b.port = a.port AND b.number = a.number
    LEFT JOIN temp.set_to c ON c.name = 'xon' AND c.device = a.device
                           AND c.port = a.port AND c.number = a.number
    LEFT JOIN temp.set_to d ON d.name = 'xoff' AND d.device = a.device
                           AND d.port = a.port AND d.number = a.number
   WHERE a.name = 'ecn_min'),
j AS (
  SELECT *, CASE WHEN low >= high THEN 'Wmin is not below Wmax'
                 WHEN xon >= low THEN 'XON is not below Wmin'
                 WHEN high >= xoff
                 THEN 'Wmax is not below XOFF: PFC pauses senders before ECN '
                   || 'marks all it could'
                 END AS why
    FROM t)
SELECT 'thresholds',
       CASE WHEN why IS NOT NULL THEN 'wrong'
            WHEN xoff IS NULL THEN 'unknown' ELSE 'ok' END,
       'configuration', device, count(*),
       device || ', queue ' || number || ' of ' || plural(count(*), 'port')
         || ': ' || ifnull(why || ' (', 'thresholds in order (')
         || ifnull('XON ' || human_count(xon) || ', ', '')
         || 'Wmin ' || human_count(low)
         || ifnull(', Wmax ' || human_count(high), '')
         || CASE WHEN xoff IS NULL THEN ', XOFF is not known'
                 ELSE ', XOFF ' || human_count(xoff)
                   || ' bytes with one congested queue' END || ')',
       CASE WHEN why IS NOT NULL
            THEN 'Set XON < Wmin < Wmax < XOFF for this queue; with n '
              || 'congested queues XOFF is lower.' END
  FROM j
 GROUP BY device, number, low, high, xon, xoff;

INSERT INTO audit(what, verdict, basis, device, ports, text, action)
SELECT 'marking', CASE WHEN e.value THEN 'ok' ELSE 'wrong' END,
       'configuration', p.device, count(*),
       p.device || ', queue ' || p.number || ' of ' || plural(count(*), 'port')
         || CASE WHEN e.value THEN ' with PFC marks (ECN)'
                 ELSE ' has PFC, but does not mark (ECN): all congestion '
                   || 'becomes pause' END,
       CASE WHEN NOT e.value THEN 'Give this queue a WRED profile that marks.'
       END
  FROM temp.set_to p
  JOIN temp.set_to e ON e.name = 'ecn' AND e.device = p.device
                    AND e.port = p.port AND e.number = p.number
 WHERE p.name = 'pfc' AND p.value = 1
 GROUP BY p.device, p.number, e.value;

-- By packets: pauses of switches, and marks in the same capture.  Storms and slow
-- NICs begin at a host, and are no matter of thresholds.
INSERT INTO audit(what, verdict, basis, text, action)
WITH p AS (
  SELECT sum(xoff_frames) AS xoff, sum(pauses) AS pauses,
         count(DISTINCT source_mac) AS ports
    FROM pause_sender u /*scan*/
   WHERE ifnull(u.role, '') <> 'host'
     AND NOT EXISTS (SELECT 1 FROM storm s
                      WHERE s.tap_id = u.tap_id
                        AND s.source_mac = u.source_mac
                        AND s.priority IS u.priority
                        AND s.level NOT IN ('heavy', 'suspect'))),
m AS (
  SELECT sum(ce) AS ce, sum(ect) AS ect, sum(packets_cnp) AS cnp FROM tap)
SELECT 'thresholds', iif(wrong, 'wrong', iif(xoff >= 10, 'note', 'ok')),
       'packets',
       CASE WHEN xoff > 0
            THEN plural(ports, 'switch port') || ' sent '
              || plural(pauses, 'pause') || ' (' || plural(xoff, 'XOFF frame')
              || '), and ' ELSE 'No switch sent PFC pause here, and ' END
         || CASE ect WHEN 0 THEN 'no packet is ECN-capable'
                     ELSE human_count(ce) || ' of '
                       || plural(ect, 'ECN-capable packet')
                       || iif(ce = 1, ' was', ' were') || ' marked, with '
                       || plural(cnp, 'CNP') END
         || CASE WHEN wrong AND ect = 0 THEN ': congestion can only pause'
                 WHEN wrong THEN ': XOFF is reached before Wmin'
                 WHEN xoff >= 10 AND ce > 0
                 THEN ': XOFF is reached although ECN marks' ELSE '' END,
       CASE WHEN wrong AND ect = 0 THEN 'Switch ECN on at the hosts.'
            WHEN wrong THEN 'Set XON < Wmin < Wmax < XOFF for this queue.'
            WHEN xoff >= 10 AND ce > 0
            THEN 'Compare Wmax with XOFF: with n congested queues XOFF is '
              || 'lower.' END
  FROM (SELECT *, p.xoff >= 10 AND m.ce = 0 AND m.cnp = 0
                  AND (m.ect = 0 OR m.ect >= 1000) AS wrong
          FROM p, m)
 WHERE xoff > 0 OR (ce > 0 AND EXISTS (SELECT 1 FROM observability
                                        WHERE what = 'pfc'
                                          AND verdict = 'yes'));
-- No watchdog waits a second.
INSERT INTO audit(what, verdict, basis, device, text, action)
SELECT 'watchdog', 'wrong', 'packets', peer_mac,
       ifnull('The port ' || peer_mac, 'The other end') || ' obeyed '
         || CASE WHEN priority IS NULL THEN 'global pause'
                 ELSE 'PFC pause on priority ' || priority END
         || ' of ' || who || ' for ' || human_ns(longest_ns)
         || ' without a break: no PFC watchdog acted',
       (SELECT text FROM temp.advice WHERE what = 'watchdog')
  FROM pause_sender /*scan*/
 WHERE longest_ns > 1000000000 AND role = 'host' AND passed = 0
 GROUP BY tap_id, source_mac, priority;

-- ## Headroom
--
-- At least what travels while the pause does, at 5 ns a meter and both ways, and
-- a packet that each end had just begun.  The time that the other end takes to
-- obey comes on top and is not counted.

INSERT INTO audit(what, verdict, basis, device, ports, text, action)
WITH t AS (
  SELECT h.device, h.number, h.value AS room, s.value AS speed,
         c.value AS cable, ifnull(m.value, 9216) AS mtu,
         2 * c.value * 5 * s.value / 8000000000 + 2 * ifnull(m.value, 9216)
           AS need
    FROM temp.set_to h
    JOIN temp.set_to s ON s.name = 'speed' AND s.device = h.device
                      AND s.port = h.port
    JOIN temp.set_to c ON c.name = 'cable' AND c.device = h.device
                      AND c.port = h.port
    LEFT JOIN temp.set_to m ON m.name = 'mtu' AND m.device = h.device
                           AND m.port = h.port
   WHERE h.name = 'headroom' AND s.value < 10000000000000
     AND c.value < 1000000)
SELECT 'headroom', CASE WHEN room < need THEN 'wrong' ELSE 'ok' END,
       'configuration', device, count(*),
       device || ', priority ' || number || ' of ' || plural(count(*), 'port')
         || ': headroom ' || human_count(room) || ' bytes, at least '
         || human_count(need) || ' are needed for ' || cable || ' m at '
         || (speed / 1000000000) || ' Gbit/s and an MTU of ' || mtu,
       CASE WHEN room < need
            THEN 'Give the profile of this port a larger xoff: it drops '
              || 'although it has sent XOFF.' END
  FROM t
 GROUP BY device, number, room, speed, cable, mtu;

-- ## CNPs in a queue of their own

INSERT INTO audit(what, verdict, basis, device, ports, text, action)
SELECT 'cnp-class',
       CASE WHEN a.value = b.value OR s.value = 0 THEN 'wrong'
            WHEN s.value IS NULL THEN 'unknown' ELSE 'ok' END,
       'both', a.device, count(*),
       a.device || ': CNPs (DSCP ' || c.cnp || ' in the capture) go to queue '
         || a.value || ', data (DSCP ' || c.data || ') to queue ' || b.value
         || CASE WHEN a.value = b.value
                 THEN ': CNPs wait behind the data that they are about'
                 WHEN s.value = 0 THEN ', and queue ' || a.value
                   || ' has no strict priority'
                 WHEN s.value IS NULL THEN ', the priority of which is not '
                   || 'known' ELSE ', with strict priority' END,
       CASE WHEN a.value = b.value OR s.value = 0
            THEN 'Give CNPs a DSCP and a queue of their own, with strict '
              || 'priority.' END
  FROM temp.class c
  JOIN temp.set_to a ON a.name = 'dscp_queue' AND a.number = c.cnp
  JOIN temp.set_to b ON b.name = 'dscp_queue' AND b.number = c.data
                    AND b.device = a.device AND b.port = a.port
  LEFT JOIN temp.set_to s ON s.name = 'strict' AND s.device = a.device
                         AND s.port = a.port AND s.number = a.value
 GROUP BY a.device, a.value, b.value, s.value;
INSERT INTO audit(what, verdict, basis, text, action)
SELECT 'cnp-class', CASE WHEN cnp = data THEN 'wrong' ELSE 'ok' END, 'packets',
       CASE WHEN cnp = data
            THEN 'CNPs have the DSCP of the data, ' || data
              || ': no switch can give them a queue of their own'
            ELSE 'CNPs have DSCP ' || cnp || ', data ' || data END,
       CASE WHEN cnp = data THEN 'Give CNPs a DSCP of their own on the NICs.'
       END
  FROM temp.class WHERE cnp IS NOT NULL AND data IS NOT NULL;

-- ## PFC for the same priorities everywhere
--
-- A NIC without any PFC beside one that has the usual may be of another network.

CREATE TEMP TABLE pfc_of AS
SELECT device, port, sum((value = 1) << number) AS bits, 'configuration' AS by
  FROM temp.set_to WHERE name = 'pfc' GROUP BY device, port
UNION ALL
SELECT DISTINCT ifnull(system, source_mac), ifnull(port, ''), pfc_enabled,
       'packets'
  FROM lldp /*scan*/ WHERE pfc_enabled IS NOT NULL;
CREATE TEMP TABLE beside AS
SELECT p.device, p.port
  FROM temp.pfc_of p JOIN temp.pfc_of o ON o.device = p.device AND o.bits > 0
 WHERE p.bits = 0
   AND p.device IN (SELECT coalesce(node, address, device, path)
                      FROM evidence_source /*scan*/
                     WHERE kind IN ('mlnx-qos', 'dcb'))
 GROUP BY p.device, p.port;
INSERT INTO audit(what, verdict, basis, device, ports, text, action)
WITH usual AS (
  SELECT bits FROM temp.pfc_of WHERE bits > 0
   GROUP BY bits ORDER BY count(*) DESC, bits LIMIT 1),
spelt AS (
  SELECT p.device, p.bits, p.by, count(*) AS ports, min(p.port) AS port,
         max((p.device, p.port) IN (SELECT device, port FROM temp.beside)) AS beside,
         (SELECT group_concat(value, ',') FROM json_each('[0,1,2,3,4,5,6,7]')
           WHERE p.bits >> value & 1) AS has,
         u.bits AS common,
         (SELECT group_concat(value, ',') FROM json_each('[0,1,2,3,4,5,6,7]')
           WHERE u.bits >> value & 1) AS others
    FROM temp.pfc_of p, usual u
   GROUP BY p.device, p.bits, p.by)
SELECT 'pfc-priorities',
       CASE WHEN bits = common THEN 'ok' WHEN beside THEN 'note' ELSE 'wrong' END,
       by, device, ports,
       device || ' has PFC on '
         || CASE WHEN has IS NULL THEN 'no priority'
                 ELSE 'priority ' || has END || ' at ' || plural(ports, 'port')
         || CASE WHEN port <> '' AND bits <> common THEN ' (' || port
                      || CASE WHEN ports > 1 THEN ', ...)' ELSE ')' END
                 ELSE '' END
         || CASE WHEN bits <> common
                 THEN ', most others on priority ' || others ELSE '' END,
       CASE WHEN beside THEN 'Nothing, if no RoCE goes there.'
            WHEN bits <> common
            THEN 'Make PFC the same on both ends of each link on the path.' END
  FROM spelt;
-- The priority of the data has it, unless nothing is known to have any: lossy RoCE
-- is a choice, and what is not given may have it.
INSERT INTO audit(what, verdict, basis, device, ports, text, action)
WITH known AS (
  SELECT EXISTS (SELECT 1 FROM temp.pfc_of WHERE bits > 0)
         OR EXISTS (SELECT 1 FROM tap WHERE packets_pfc > 0) AS pfc)
SELECT 'pfc-priorities',
       CASE WHEN p.value THEN 'ok' WHEN known.pfc AND NOT n.beside THEN 'wrong'
            ELSE 'note' END, 'both', m.device, count(*),
       m.device || ' gives data (DSCP ' || c.data || ' in the capture) '
         || 'priority ' || m.value || ' at ' || plural(count(*), 'port')
         || CASE WHEN p.value THEN ', with PFC'
                 WHEN n.beside THEN ', without PFC, as no priority there has it'
                 WHEN known.pfc THEN ', without PFC'
                 ELSE ', without PFC, as all devices whose configuration was '
                   || 'given: their full queues drop' END,
       CASE WHEN NOT p.value
            THEN 'Map DSCP ' || c.data || ' to a priority with PFC, or switch '
              || 'PFC on for it.' END
  FROM temp.class c
  JOIN temp.set_to m ON m.name = 'dscp_priority' AND m.number = c.data
  JOIN temp.set_to p ON p.name = 'pfc' AND p.device = m.device
                    AND p.port = m.port AND p.number = m.value
  JOIN (SELECT DISTINCT x.device, x.port, b.device IS NOT NULL AS beside
          FROM temp.pfc_of x
          LEFT JOIN temp.beside b ON b.device = x.device AND b.port = x.port)
       n ON n.device = m.device AND n.port = m.port, known
 GROUP BY m.device, m.value, p.value, n.beside;

-- ## Entropy for ECMP

-- Hosts with several queue pairs, and the UDP source ports of these: port_use.c.
INSERT INTO audit(what, verdict, basis, text, action)
SELECT 'entropy', CASE WHEN one > 0 THEN 'wrong' ELSE 'ok' END,
       'packets',
       CASE WHEN one > 0
            THEN plural(one, 'pair')
              || ' of hosts use one UDP source port for all of their queue '
              || 'pairs: a hash of addresses and ports sends them all one way'
            ELSE 'Queue pairs of the same hosts have UDP source ports of their '
              || 'own (' || ports || ' for ' || plural(flows, 'flow')
              || ')' END,
       CASE WHEN one > 0
            THEN (SELECT text FROM temp.advice WHERE what = 'entropy') END
  FROM temp.port_use WHERE pairs > 0;

-- ## What switches choose equal-cost paths by
--
-- Of RoCE packets of two hosts only the UDP source port and the destination QP
-- differ.  Bits are those of src/evidence/hash.def.  The opcode differs within a
-- message.

INSERT INTO audit(what, verdict, basis, device, text, action)
WITH kind AS (
  SELECT max(instr(src, ':') = 0) AS v4, max(instr(src, ':') > 0) AS v6
    FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM temp.set_to
                                  WHERE name = 'ecmp_hash'))
   CROSS JOIN flow /*scan*/),
h AS (
  SELECT x.device, x.value AS bits, min(x.number) AS version,
         count(*) AS versions,
         (SELECT group_concat(b.value, ', ')
            FROM json_each('["source address","destination address",'
                   || '"UDP source port","destination QP","opcode",'
                   || '"flow label","port that it came in by"]') b
           WHERE x.value >> b.key & 1) AS fields
    FROM temp.set_to x, kind
   WHERE x.name = 'ecmp_hash'
     AND CASE x.number WHEN 4 THEN kind.v4 ELSE kind.v6 END
   GROUP BY x.device, x.value),
judged AS (
  SELECT h.*, port.pairs,
         bits >> 2 & 1 OR bits >> 3 & 1 OR (version = 6 AND bits >> 5 & 1)
           AS tells,
         bits >> 3 & 1 = 0 AND bits >> 2 & 1 AND port.pairs > 0
           AND port.several = 0 AS in_vain
    FROM h, temp.port_use port)
SELECT 'ecmp-hash',
       CASE WHEN NOT tells OR in_vain THEN 'wrong'
            WHEN bits >> 4 & 1 THEN 'note' ELSE 'ok' END,
       CASE WHEN tells AND in_vain THEN 'both' ELSE 'configuration' END, device,
       device || ' chooses equal-cost paths of RoCE by '
         || ifnull(fields, 'nothing that differs')
         || CASE WHEN NOT tells
                 THEN ': all queue pairs of two hosts take one path'
                 WHEN in_vain
                 THEN ', but all queue pairs of two hosts have one source port '
                   || '(' || plural(pairs, 'pair') || ' of hosts in the '
                   || 'capture): they take one path'
                 WHEN bits >> 4 & 1
                 THEN ': packets of one message have several opcodes and take '
                   || 'several paths' ELSE '' END,
       CASE WHEN NOT tells
            THEN 'Add L4_SRC_PORT (config switch-hash global ecmp-hash), or '
              || 'RDMA_BTH_DEST_QP where the switch has it.'
            WHEN in_vain
            THEN 'Let NICs take the source port from the queue pairs, or add '
              || 'RDMA_BTH_DEST_QP.'
            WHEN bits >> 4 & 1
            THEN 'Take RDMA_BTH_OPCODE out, unless receivers accept packets '
              || 'out of order.' END
  FROM judged;
-- By packets: what links of a group were chosen by.
INSERT INTO audit(what, verdict, basis, text, action)
SELECT 'ecmp-hash',
       CASE WHEN b.polarized OR b.effective_flows < b.members THEN 'wrong'
            ELSE 'ok' END, 'packets',
       g.name || ' (' || plural(b.members, 'link')
         || ') is chosen by the ' || b.hash_input || ', as seen: '
         || plural(b.flows, 'flow') || ' look like '
         || plural(CAST(round(b.effective_flows) AS INTEGER), 'flow')
         || ' to the hash, the fullest link has ' || round(b.mmr_bytes, 2)
         || ' times the mean'
         || CASE WHEN b.polarized
                 THEN '; it chooses by what the switch before chose by'
                 ELSE '' END,
       CASE WHEN b.polarized THEN 'Give each layer of switches a hash seed of '
                                || 'its own.'
            WHEN b.effective_flows < b.members
            THEN (SELECT text FROM temp.advice WHERE what = 'entropy') END
  FROM balance b /*scan*/ JOIN link_group g ON g.id = b.group_id
 WHERE b.mode = 'ecmp' AND b.hash_input IS NOT NULL
   AND b.effective_flows IS NOT NULL AND b.members > 1;

-- ## DCQCN against the round trip

-- From a capture point to the receiver and back is a part of it; the capture point
-- that is nearest to senders has most.
CREATE TEMP TABLE rtt AS
SELECT max(ns) AS ns
  FROM (SELECT min(rtt_receiver_ns + ifnull(rtt_sender_ns, 0)) AS ns
          FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM temp.set_to)
                            OR EXISTS (SELECT 1 FROM cnp_pacing
                                        WHERE inferred AND gaps > 20))
         CROSS JOIN flow_brief /*scan*/
         WHERE rtt_receiver_ns > 0
         GROUP BY tap_id);
INSERT INTO audit(what, verdict, basis, device, ports, text, action)
SELECT 'dcqcn', CASE WHEN x.value * 2 >= r.ns THEN 'ok' ELSE 'note' END, 'both',
       x.device, count(*),
       x.device || CASE x.name WHEN 'cut_period' THEN ' reduces its rate every '
                                ELSE ' sends CNPs every ' END
         || human_ns(x.value) || ' at most; a round trip takes at least '
         || human_ns(r.ns)
         || CASE WHEN x.value * 2 >= r.ns THEN ''
                 ELSE ': ' || (r.ns / max(x.value, 1)) || ' times before the '
                   || 'first reduction can show' END, NULL
  FROM temp.set_to x, temp.rtt r
 WHERE x.name IN ('cut_period', 'cnp_interval') AND x.value > 0
   AND r.ns IS NOT NULL
 GROUP BY x.device, x.name, x.value;
INSERT INTO audit(what, verdict, basis, device, text)
SELECT 'dcqcn', CASE WHEN p.gap_p1_ns * 2 >= r.ns THEN 'ok' ELSE 'note' END,
       'packets', p.receiver,
       p.receiver || ' sends CNPs of one '
         || CASE p.scope WHEN 'qp' THEN 'queue pair'
                         WHEN 'pair' THEN 'pair of hosts' ELSE 'port' END
         || ' every ' || human_ns(p.gap_p1_ns) || ' at most, as seen; a '
         || 'round trip takes at least ' || human_ns(r.ns)
  FROM cnp_pacing p /*scan*/, temp.rtt r
 WHERE p.inferred AND p.gap_p1_ns > 0 AND p.gaps > 20 AND r.ns IS NOT NULL
 GROUP BY p.receiver;

DROP TABLE temp.set_to;
DROP TABLE temp.port_use;
DROP TABLE temp.advice;
DROP TABLE temp.class;
DROP TABLE temp.beside;
DROP TABLE temp.pfc_of;
DROP TABLE temp.rtt;
