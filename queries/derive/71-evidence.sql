-- Whose the counters of --evidence are, what they counted while the capture ran,
-- and whether that agrees with the packets.
--
-- The packets decide.  A counter agrees, completes what packets only bound, or
-- contradicts; it never changes what they say.
--
-- needs evidence_source

-- ## Whose

-- Tools of one host name its ports alike: what one file says of a port holds
-- for all files of that host.
UPDATE evidence_source SET address = said_address, node = NULL, tap_id = NULL,
                           tied_by = NULL, why_not = NULL;
CREATE TEMP TABLE here(address TEXT PRIMARY KEY);
INSERT INTO temp.here SELECT src FROM flow UNION SELECT dst FROM flow;
-- The MAC address of a port, where all packets with it are of one host.
CREATE TEMP TABLE mac_here AS
SELECT mac, min(address) AS address
  FROM (SELECT src_mac AS mac, src AS address FROM flow /*scan*/
        UNION SELECT dst_mac, dst FROM flow /*scan*/)
 WHERE mac IS NOT NULL
 GROUP BY mac HAVING count(*) = 1;
CREATE INDEX temp.mac_here_by ON mac_here(mac);
UPDATE evidence_source AS s
   SET address = m.address, tied_by = 'mac'
  FROM temp.mac_here m
 WHERE m.mac = s.mac
   AND (s.address IS NULL OR s.address NOT IN (SELECT address FROM temp.here));
DROP TABLE temp.mac_here;
-- A port may have several, of VLANs and of both versions of IP: the one that is
-- here.  Where several are, its counters are of all of them.
CREATE TEMP TABLE port_address AS
SELECT device, port, min(address) AS address, count(DISTINCT address) AS n
  FROM evidence_source /*scan*/
 WHERE address IN (SELECT address FROM temp.here)
 GROUP BY device, port;
CREATE INDEX temp.port_address_by ON port_address(port, device);
UPDATE evidence_source AS s
   SET address = CASE v.n WHEN 1 THEN v.address END,
       why_not = CASE WHEN v.n > 1
                      THEN 'several addresses of this port are in the capture, '
                        || 'and its counters are of all of them' END
  FROM temp.port_address v
 WHERE v.device = s.device AND v.port = s.port
   AND (s.address IS NULL OR s.address <> v.address OR v.n > 1);
DROP TABLE temp.port_address;
UPDATE evidence_source
   SET tied_by = CASE WHEN address IN (SELECT address FROM temp.here)
                      THEN ifnull(tied_by, 'gid') END,
       address = CASE WHEN address IN (SELECT address FROM temp.here)
                      THEN address END;
UPDATE evidence_source
   SET address = device,
       tied_by = CASE device_by WHEN 'given' THEN 'given' ELSE 'address' END
 WHERE address IS NULL AND device IN (SELECT address FROM temp.here);

-- By name: of the topology file, or as LLDP says it.  A name may be the first
-- part of a longer one.
CREATE TEMP TABLE device_name(name TEXT PRIMARY KEY, node TEXT, by TEXT);
INSERT OR IGNORE INTO temp.device_name
SELECT name, name, 'topology' FROM node
UNION SELECT agent, name, 'topology' FROM node WHERE agent IS NOT NULL
UNION SELECT a, a, 'topology' FROM link UNION SELECT b, b, 'topology' FROM link
UNION SELECT from_node, from_node, 'topology' FROM tap
 WHERE from_node IS NOT NULL
UNION SELECT to_node, to_node, 'topology' FROM tap WHERE to_node IS NOT NULL;
INSERT OR IGNORE INTO temp.device_name
SELECT DISTINCT system, system, 'lldp' FROM lldp /*scan*/
 WHERE system IS NOT NULL;
UPDATE evidence_source AS s
   SET node = n.node,
       tied_by = CASE WHEN s.device_by = 'given' THEN 'given' ELSE n.by END
  FROM temp.device_name n
 WHERE s.address IS NULL AND n.name IN (s.device,
       substr(s.device, 1, instr(s.device || '.', '.') - 1));
UPDATE evidence_source AS s
   SET address = v.address
  FROM (SELECT a.node, min(a.address) AS address
          FROM node_address a JOIN temp.here h ON h.address = a.address
         GROUP BY a.node HAVING count(*) = 1) v
 WHERE s.address IS NULL AND v.node = s.node;
UPDATE evidence_source AS s
   SET node = v.node
  FROM node_address v
 WHERE s.node IS NULL AND v.address = s.address;
UPDATE evidence_source SET why_not = 'it has no evidence in a known format'
 WHERE kind = 'unknown';
-- What a device says of itself only (processor, memory, power) is compared with
-- nothing, and needs no place.
UPDATE evidence_source
   SET why_not = CASE
         WHEN node IS NOT NULL AND node NOT IN
              (SELECT a.node FROM node_address a
                 JOIN temp.here h ON h.address = a.address)
         THEN 'no packet from or to this host is in the capture'
         WHEN node IS NOT NULL AND node IN (SELECT node FROM node_address)
         THEN 'the host has several addresses in this capture, and which one '
              || 'this port has is not known: give its GIDs as well'
         WHEN device IS NULL
         THEN 'the file does not say whose it is: give DEVICE=FILE'
         ELSE 'no address of this capture, host or switch of a topology file, '
              || 'or LLDP system is called ' || device END
 WHERE address IS NULL AND why_not IS NULL
   AND (node IS NULL OR node IN (SELECT node FROM node_address))
   AND id NOT IN (SELECT c.source_id
                    FROM counter c /*scan*/ JOIN temp.meaning m ON m.name = c.meaning
                   GROUP BY c.source_id HAVING min(m.of_device));

CREATE TEMP TABLE link_end AS
SELECT a AS node, a_port AS port, b AS peer FROM link WHERE a_port IS NOT NULL
UNION SELECT b, b_port, a FROM link WHERE b_port IS NOT NULL
UNION SELECT from_node, from_port, to_node FROM tap WHERE from_port IS NOT NULL
UNION SELECT to_node, to_port, from_node FROM tap WHERE to_port IS NOT NULL;
CREATE INDEX temp.link_end_by ON link_end(node, port);
-- The taps on the link of a port; where two nodes have several links, those that say
-- on which of them they are.
CREATE TEMP TABLE tap_end AS
WITH ends AS (SELECT node, port, peer, count(*) OVER (PARTITION BY node, peer)
                     = 1 AS alone FROM temp.link_end)
SELECT x.node, x.port, x.peer, t.id AS tap_id, t.both_ways, 1 AS outward
  FROM ends x JOIN tap t ON t.from_node = x.node AND t.to_node = x.peer
 WHERE ifnull(t.from_port = x.port, x.alone)
UNION ALL
SELECT x.node, x.port, x.peer, t.id, t.both_ways, 0
  FROM ends x JOIN tap t ON t.to_node = x.node AND t.from_node = x.peer
 WHERE ifnull(t.to_port = x.port, x.alone);
CREATE INDEX temp.tap_end_by ON tap_end(node, port);

-- A host has more ports than those of which packets were captured, and its name
-- ties all of them to one address.  Of those that count the same, only the one
-- with the GID or the MAC address is it, or the one that the topology file has;
-- else none of them
-- is known to be.
CREATE TEMP TABLE port_of AS
SELECT DISTINCT s.address, s.kind, ifnull(s.port, '') AS port, c.name,
       max(s.tied_by IN ('gid', 'mac')) OVER p AS by_gid,
       max(x.port IS NOT NULL) OVER p AS by_link
  FROM counter c /*scan*/ JOIN evidence_source s ON s.id = c.source_id
  LEFT JOIN temp.link_end x ON x.node = s.node AND x.port = s.port
 WHERE c.meaning IS NOT NULL AND s.address IS NOT NULL
WINDOW p AS (PARTITION BY s.address, s.kind, ifnull(s.port, ''));
CREATE TEMP TABLE other_port AS
WITH best AS (
  SELECT address, kind, name, max(2 * by_gid + by_link) AS best
    FROM temp.port_of GROUP BY address, kind, name HAVING count(*) > 1)
SELECT p.address, p.kind, p.port, p.name, b.best
  FROM temp.port_of p
  JOIN best b ON b.address = p.address AND b.kind = p.kind AND b.name = p.name
 WHERE b.best = 0
    OR NOT CASE WHEN b.best > 1 THEN p.by_gid ELSE p.by_link END;
CREATE INDEX temp.other_port_by ON other_port(address, kind, port, name);
UPDATE evidence_source AS s
   SET why_not = CASE WHEN v.best
         THEN 'another port of this host has the address that is in the capture'
         ELSE 'several ports of this host count the same, and which one has the '
              || 'address in the capture is not known: give its GIDs, or '
              || 'ports of its link in the topology file' END
  FROM (SELECT p.address, p.kind, p.port, max(o.best) AS best
          FROM temp.port_of p
          LEFT JOIN temp.other_port o
                 ON o.address = p.address AND o.kind = p.kind
                AND o.port = p.port AND o.name = p.name
         GROUP BY p.address, p.kind, p.port HAVING count(*) = count(o.name)) v
 WHERE v.address = s.address AND v.kind = s.kind
   AND v.port = ifnull(s.port, '')
   AND s.id IN (SELECT source_id FROM counter /*scan*/
                 WHERE meaning IS NOT NULL);

-- The tap on the link of a port: LLDP names both.
UPDATE evidence_source AS s
   SET tap_id = v.tap_id, mac = ifnull(s.mac, v.source_mac)
  FROM (SELECT system, port, min(tap_id) AS tap_id, source_mac
          FROM lldp /*scan*/ GROUP BY system, port
        HAVING count(DISTINCT tap_id) = 1) v
 WHERE v.system = s.node AND v.port = s.port;
UPDATE evidence_source AS s
   SET tap_id = v.tap_id
  FROM (SELECT x.node, x.port, min(x.tap_id) AS tap_id
          FROM temp.tap_end x
         WHERE x.outward OR x.both_ways
         GROUP BY x.node, x.port) v
 WHERE s.tap_id IS NULL AND v.node = s.node AND v.port = s.port;

UPDATE evidence_source AS s
   SET first_ns = v.a, last_ns = v.b,
       clock = CASE WHEN v.a IS NOT NULL THEN 'stamps'
                    WHEN v.moments THEN 'before-after' END
  FROM (SELECT source_id, min(at_ns) AS a, max(at_ns) AS b,
               count(moment) AS moments
          FROM counter /*scan*/ GROUP BY source_id) v
 WHERE v.source_id = s.id;

-- ## What they counted

-- Readings in their order: by their own times, or before and after.
CREATE TEMP TABLE reading AS
SELECT c.source_id, c.name, c.meaning, c.priority, c.at_ns, c.moment, c.value,
       ifnull(ifnull(s.node, s.address), ifnull(s.device, s.path)) AS device,
       ifnull(s.port, '') AS port, s.kind,
       lag(c.value) OVER w AS before, row_number() OVER w AS nth,
       count(*) OVER p AS n, count(c.at_ns) OVER p AS timed,
       count(c.moment) OVER p AS placed
  FROM counter c /*scan*/
  JOIN evidence_source s ON s.id = c.source_id
 WHERE c.meaning IS NOT NULL
WINDOW p AS (PARTITION BY ifnull(ifnull(s.node, s.address),
                                 ifnull(s.device, s.path)),
                          s.port, s.kind, c.name, c.priority),
       w AS (PARTITION BY ifnull(ifnull(s.node, s.address),
                                 ifnull(s.device, s.path)),
                          s.port, s.kind, c.name, c.priority
             ORDER BY c.at_ns, CASE c.moment WHEN 'before' THEN 0
                                             WHEN 'after' THEN 2 ELSE 1 END,
                      c.id);

-- A counter that goes down was reset, or is too short: what it counted is not
-- known.  One reading says something only when it is 0.
INSERT INTO counted(source_id, name, meaning, unit, priority, first_ns, last_ns,
                    readings, delta, last_value, covers)
SELECT v.source_id, v.name, v.meaning, m.unit, v.priority, v.a, v.b, v.n,
       CASE WHEN m.gauge THEN NULL
            WHEN v.n > 1 AND NOT v.fell AND (v.timed OR v.placed)
            THEN v.last_value - v.first_value
            WHEN v.n = 1 AND v.last_value = 0 THEN 0 END,
       v.last_value,
       CASE WHEN v.timed AND v.n > 1
            THEN CASE WHEN v.a <= t.a AND v.b >= t.b THEN 1
                      WHEN v.b < t.a OR v.a > t.b THEN 0 END
            WHEN v.timed THEN CASE WHEN v.a >= t.b THEN 1
                                   WHEN v.a < t.a THEN 0 END
            WHEN v.placed AND v.n > 1 THEN 1
            WHEN v.placed AND v.last_value = 0 AND v.last_moment = 'after'
            THEN 1 END
  FROM (SELECT max(CASE WHEN nth = n THEN source_id END) AS source_id, name,
               meaning, priority, min(at_ns) AS a, max(at_ns) AS b, n,
               timed = n AS timed, placed = n AS placed,
               max(ifnull(value < before, 0)) AS fell,
               max(CASE WHEN nth = 1 THEN value END) AS first_value,
               max(CASE WHEN nth = n THEN value END) AS last_value,
               max(CASE WHEN nth = n THEN moment END) AS last_moment
          FROM temp.reading
         GROUP BY device, port, kind, name, priority) v
  JOIN temp.meaning m ON m.name = v.meaning,
       (SELECT min(first_ns) AS a, max(last_ns) AS b FROM tap
         WHERE packets > 0) t;

-- One row for each port and meaning.  Several names may mean the same, and the
-- priorities of one add up; of several sources those that cover the capture count.
-- A port that only has a number is the one with a name that counted the same.
CREATE TEMP TABLE tally AS
SELECT s.node, s.address, s.device, s.port, s.tap_id, v.meaning,
       max(v.delta) AS delta, max(v.counted_id) AS counted_id, s.mac,
       coalesce(s.node, s.address, s.device, s.path)
         || ifnull(' ' || s.port, '') AS who
  FROM (SELECT c.source_id, c.meaning, sum(c.delta) AS delta,
               min(ifnull(c.covers, 0) AND c.delta IS NOT NULL) AS covers,
               max(c.id) AS counted_id
          FROM counted c /*scan*/
          JOIN evidence_source s ON s.id = c.source_id
         WHERE c.unit NOT IN ('bytes', 'ppm', 'mW')
           AND NOT EXISTS (SELECT 1 FROM temp.other_port o
                            WHERE o.address = s.address AND o.kind = s.kind
                              AND o.port = ifnull(s.port, '')
                              AND o.name = c.name)
         GROUP BY c.source_id, c.meaning,
                  CASE WHEN c.priority IS NULL THEN c.name END) v
  JOIN evidence_source s ON s.id = v.source_id AND s.why_not IS NULL
 WHERE v.covers
 GROUP BY s.node, s.address, s.device, s.port, v.meaning;
DELETE FROM temp.tally
 WHERE port LIKE 'ifIndex %'
   AND (ifnull(node, device), meaning, delta) IN
       (SELECT ifnull(node, device), meaning, delta FROM temp.tally
         WHERE port NOT LIKE 'ifIndex %');

-- ## What packets say of hosts

-- Each direction once: where it left its sender, and where it came nearest to its
-- receiver.
CREATE TEMP TABLE sent AS
SELECT f.*, f.packets - ifnull(f.mirror_duplicates, 0) AS passed
  FROM flow f /*scan*/
 WHERE NOT EXISTS (SELECT 1 FROM tap_path t
                    WHERE t.flow_id = f.id AND t.hop > 1);
CREATE TEMP TABLE received AS
SELECT f.*, f.packets - ifnull(f.mirror_duplicates, 0) AS passed
  FROM flow f /*scan*/
 WHERE NOT EXISTS (SELECT 1 FROM tap_path t
                     JOIN tap_path o ON o.tap_path_id = t.tap_path_id
                                 AND o.hop > t.hop
                    WHERE t.flow_id = f.id);

-- What NICs count of the transport is of RoCE: no counters of UET are published.
-- |high| is NULL where not all of it can be seen, |low| is 0 where a NIC does not
-- count all that packets show: soft-RoCE leaves out NAKs that acknowledge nothing
-- new, and recoveries while one runs.
CREATE TEMP TABLE host_saw(address TEXT, meaning TEXT, what TEXT, low INTEGER,
                           high INTEGER, tap_id INTEGER, seen INTEGER,
                           lost INTEGER);
INSERT INTO temp.host_saw
SELECT src, 'rdma_tx_packets', 'packets from it',
       sum(passed - ifnull(duplicates, 0)),
       sum(passed + ifnull(lost_upstream, 0) + ifnull(capture_missing, 0)),
       min(tap_id), sum(passed), 0
  FROM temp.sent GROUP BY src;
CREATE TEMP TABLE calm(address TEXT PRIMARY KEY);
INSERT INTO temp.calm
SELECT src FROM temp.sent WHERE messages > 0 GROUP BY src
HAVING max(retransmitted) = 0;
-- Only RC shows all that was lost.  Responses may be lost beyond the last capture
-- point without a trace, and what timers retransmit may be lost again; but who
-- never retransmits has had some.
INSERT INTO temp.host_saw
SELECT dst, 'rdma_rx_packets', 'packets to it',
       CASE WHEN min(visibility = 'both' OR transport IN ('UD', 'UC'))
                 AND NOT max(spray_suspect)
            THEN max(sum(CASE WHEN transport IN ('RC', 'XRC')
                                   AND NOT ifnull(timeouts, 1)
                              THEN requests - ifnull(lost_downstream_max, 0)
                                   - ifnull(icrc_bad, 0)
                                   - ifnull(mirror_duplicates, 0)
                              ELSE 0 END),
                     2 * (dst IN (SELECT address FROM temp.calm)))
            ELSE 0 END,
       sum(passed - ifnull(lost_downstream_min, 0)
           + ifnull(capture_missing, 0)), min(tap_id), sum(passed),
       total(lost_downstream_max)
  FROM temp.received GROUP BY dst;
INSERT INTO temp.host_saw
SELECT src, k.meaning, k.what,
       sum(CASE k.meaning
             WHEN 'naks_received' THEN nak_seq
             WHEN 'implied_naks' THEN implied_nak
             WHEN 'rnr_received' THEN rnr_nak
             WHEN 'timeouts' THEN timeouts
             WHEN 'retransmitted' THEN retransmitted
             WHEN 'cnps_received' THEN cnp
             ELSE 0 END),
       CASE WHEN min(visibility = 'both') AND NOT max(spray_suspect)
            THEN sum(CASE k.meaning
             WHEN 'naks_received' THEN nak_seq
             WHEN 'implied_naks' THEN implied_nak
             WHEN 'rnr_received' THEN rnr_nak
             WHEN 'timeouts' THEN timeouts
             WHEN 'retransmitted' THEN retransmitted
             WHEN 'retries' THEN nak_seq + implied_nak + timeouts + rnr_nak
             WHEN 'naks_acted_on' THEN nak_seq
             ELSE cnp END) END, min(tap_id), NULL, NULL
  FROM temp.sent, (SELECT column1 AS meaning, column2 AS what FROM (VALUES
       ('naks_received', 'NAKs (PSN sequence error) to it'),
       ('implied_naks', 'responses to it that skip a PSN'),
       ('rnr_received', 'RNR NAKs to it'),
       ('timeouts', 'retransmission timeouts'),
       ('retransmitted', 'packets that it retransmitted'),
       ('retries', 'recoveries by NAK or timeout'),
       ('naks_acted_on', 'NAKs (PSN sequence error) to it'),
       ('cnps_received', 'CNPs to it'))) k
 WHERE (requests > 0 OR k.meaning = 'cnps_received')
   AND transport NOT LIKE 'UET%'
 GROUP BY src, k.meaning;
INSERT INTO temp.host_saw
SELECT dst, k.meaning, k.what,
       sum(CASE k.meaning WHEN 'naks_sent' THEN nak_seq
                          WHEN 'rnr_sent' THEN rnr_nak
                          WHEN 'ecn_received' THEN ce ELSE cnp END),
       CASE WHEN min(visibility = 'both') AND NOT max(spray_suspect)
            THEN sum(CASE k.meaning WHEN 'naks_sent' THEN nak_seq
                          WHEN 'rnr_sent' THEN rnr_nak
                          WHEN 'ecn_received' THEN ce ELSE cnp END) END,
       min(tap_id), NULL, NULL
  FROM temp.received, (SELECT column1 AS meaning, column2 AS what FROM (VALUES
       ('naks_sent', 'NAKs (PSN sequence error) from it'),
       ('rnr_sent', 'RNR NAKs from it'),
       ('ecn_received', 'packets to it marked ECN CE'),
       ('cnps_sent', 'CNPs from it'))) k
 WHERE transport NOT LIKE 'UET%'
 GROUP BY dst, k.meaning;
INSERT INTO temp.host_saw
SELECT host, 'tx_pauses', 'pause frames from it',
       CAST(total(xoff_frames + xon_frames) FILTER (WHERE priority IS NOT NULL)
            AS INTEGER), sum(xoff_frames + xon_frames), min(tap_id), NULL, NULL
  FROM pause_sender /*scan*/ WHERE host IS NOT NULL GROUP BY host;

CREATE INDEX temp.host_saw_by ON host_saw(meaning, low);

-- ## Against each other: hosts
--
-- A few packets are on their way when counters are read.

INSERT INTO counter_check(counted_id, what, counted, packets_min, packets_max,
                          verdict, tap_id, reason, settle)
WITH pair AS (
  SELECT t.*, h.what, h.low, h.high, h.tap_id AS at, h.seen,
         CASE
           WHEN t.delta = h.seen AND h.lost = 0 THEN 'agrees'
           WHEN t.delta BETWEEN h.low AND h.high
           THEN CASE WHEN h.low < h.high
                          AND t.meaning LIKE 'rdma_%_packets'
                     THEN 'explains' ELSE 'agrees' END
           WHEN t.delta = 0 AND h.low > 1 THEN 'contradicts'
           WHEN t.meaning IN ('rdma_tx_packets', 'rdma_rx_packets')
                AND t.delta < h.low - 64 - h.low / 1000 THEN 'contradicts'
           WHEN t.delta < h.low THEN 'fewer'
           WHEN h.high IS NULL
           THEN CASE WHEN t.delta = h.low THEN 'agrees' ELSE 'more' END
           ELSE 'more' END AS verdict,
         (SELECT group_concat(o.address, ' or ') FROM temp.host_saw o
           WHERE o.meaning = t.meaning AND o.address <> t.address
             AND o.low = t.delta AND o.high = t.delta AND t.delta > 9) AS fits
    FROM temp.tally t
    JOIN temp.host_saw h ON h.address = t.address AND h.meaning = t.meaning
                        AND (h.high IS NOT NULL OR h.low > 0))
SELECT counted_id, meaning, delta, low, high, verdict, at,
       who || ' counted ' || human_count(delta) || ' ('
         || words(meaning) || '); the capture has '
         || CASE WHEN high IS NULL
                 THEN 'at least ' || human_count(low)
                 WHEN seen IS NOT NULL THEN human_count(seen)
                 WHEN high > low AND low = 0
                 THEN 'at most ' || human_count(high)
                 WHEN high > low
                 THEN 'between ' || human_count(low) || ' and '
                      || human_count(high)
                 ELSE human_count(low) END || ' ' || what
         || CASE
              WHEN verdict <> 'explains' THEN ''
              WHEN meaning = 'rdma_rx_packets' AND delta < seen
              THEN ': by its word ' || plural(seen - delta, 'packet')
                   || ' got lost between the last capture point and its RDMA '
                   || 'stack'
              WHEN meaning = 'rdma_rx_packets' AND delta = seen
              THEN ': by its word none of them was lost beyond the last '
                   || 'capture point'
              WHEN delta > seen
              THEN ': by its word ' || plural(delta - seen, 'packet')
                   || CASE meaning WHEN 'rdma_tx_packets'
                        THEN ' got lost, or not captured, before the first '
                             || 'capture point'
                        ELSE ' not captured' END
              ELSE ': by its word ' || plural(seen - delta, 'packet')
                   || ' duplicated on the way' END,
       CASE verdict
         WHEN 'contradicts'
         THEN CASE
                WHEN fits IS NOT NULL
                THEN 'It is what ' || fits || ' should have counted: check '
                     || 'which host and port the file is of.'
                WHEN delta = 0
                THEN 'A counter that does not move, or one of another port: '
                     || 'read it twice while traffic flows.'
                ELSE 'Check which host and port the file is of, and that it '
                     || 'was read before and after the whole capture, by a '
                     || 'clock that is right.' END
         WHEN 'more'
         THEN 'Read the counters immediately before and after the capture, '
              || 'and capture all paths of the host.'
         WHEN 'fewer'
         THEN 'Repeated or late ones may not be counted by the NIC; read the '
              || 'counters again after a second, as some are delayed.' END
  FROM pair p
 ORDER BY p.address, p.meaning;

-- ## Against each other: ports of switches
--
-- A tap on the link of a port shows what this port sends, or what it receives; one
-- of both directions does where one end is a host.  Mirrors show no pause frames,
-- so that none seen says nothing, and other devices mark as well: only what was
-- marked between two taps was marked there.

CREATE TEMP TABLE port_way AS
SELECT node, port, tap_id, outward FROM temp.tap_end WHERE NOT both_ways;
CREATE TEMP TABLE port_pause AS
SELECT w.node, w.port, p.tap_id, w.outward, p.source_mac, p.priority,
       p.xoff_frames, p.xon_frames, p.paused_ns, p.longest_ns
  FROM temp.port_way w JOIN pause_sender p ON p.tap_id = w.tap_id
UNION ALL
SELECT x.node, x.port, p.tap_id, (a.node IS NOT NULL) = (p.role = 'host'),
       p.source_mac, p.priority, p.xoff_frames, p.xon_frames, p.paused_ns,
       p.longest_ns
  FROM temp.tap_end x
  JOIN pause_sender p ON p.tap_id = x.tap_id AND p.role IS NOT NULL
  LEFT JOIN (SELECT DISTINCT node FROM node_address) a ON a.node = x.node
  LEFT JOIN (SELECT DISTINCT node FROM node_address) b ON b.node = x.peer
 WHERE x.both_ways AND (a.node IS NULL) <> (b.node IS NULL)
UNION ALL
SELECT s.node, s.port, p.tap_id, s.mac = p.source_mac, p.source_mac,
       p.priority, p.xoff_frames, p.xon_frames, p.paused_ns, p.longest_ns
  FROM (SELECT DISTINCT node, port, mac FROM evidence_source
         WHERE mac IS NOT NULL AND node IS NOT NULL) s
  JOIN pause_sender p ON s.mac IN (p.source_mac, p.peer_mac)
 WHERE NOT EXISTS (SELECT 1 FROM temp.link_end x
                    WHERE x.node = s.node AND x.port = s.port);
CREATE TEMP TABLE port_saw(node TEXT, port TEXT, meaning TEXT, what TEXT,
                           low INTEGER, high INTEGER, tap_id INTEGER,
                           certain INTEGER, unit TEXT);
-- Counters by priority do not count 802.3x, and those of 802.3x not always PFC.
INSERT INTO temp.port_saw
SELECT node, port, iif(outward, 'tx_pauses', 'rx_pauses'),
       iif(outward, 'pause frames from it', 'pause frames to it'),
       CAST(total(xoff_frames) FILTER (WHERE priority IS NOT NULL) AS INTEGER),
       sum(xoff_frames + xon_frames), min(tap_id), 1, 'packets'
  FROM temp.port_pause GROUP BY node, port, outward;
-- What a NIC or switch counts as paused begins and ends when it acts, a little
-- later than the frames.
INSERT INTO temp.port_saw
SELECT node, port, iif(outward, 'tx_paused', 'rx_paused'),
       iif(outward, 'of pauses from it', 'of pauses to it'),
       CAST(total(paused_ns) FILTER (WHERE priority IS NOT NULL) * 0.9
            AS INTEGER),
       CAST(total(paused_ns) * 1.1 AS INTEGER) + 100000, min(tap_id),
       total(paused_ns) FILTER (WHERE priority IS NOT NULL) > 1000000, 'ns'
  FROM temp.port_pause GROUP BY node, port, outward
HAVING count(paused_ns) = count(*);
-- A watchdog acts after 200 ms by default, and never after less than 100, unless
-- its configuration says otherwise; it looks at times of its own, and only where
-- something waits.
INSERT INTO temp.port_saw
SELECT p.node, p.port, 'storms', 'pauses without end to it',
       sum(p.longest_ns > ifnull(4 * w.after, 800000000)),
       sum(p.longest_ns > ifnull(w.after / 2, 100000000)), min(p.tap_id), 1,
       'times'
  FROM temp.port_pause p
  LEFT JOIN (SELECT s.node, s.port, max(x.value) AS after
               FROM setting x /*scan*/
               JOIN evidence_source s ON s.id = x.source_id
              WHERE x.name = 'watchdog' AND x.value > 1
              GROUP BY s.node, s.port) w ON w.node = p.node AND w.port = p.port
 WHERE NOT p.outward GROUP BY p.node, p.port
HAVING count(longest_ns) = count(*);
-- Marked between two taps, with one device in between.
INSERT INTO temp.port_saw
SELECT v.device, NULL, 'ecn_marked', 'packets marked ECN CE in it', sum(v.marked),
       NULL, min(v.tap_id), 1, 'packets'
  FROM (SELECT a.to_node AS device, s.marked, s.to_tap_id AS tap_id
          FROM segment s /*scan*/ JOIN tap a ON a.id = s.from_tap_id
          JOIN tap b ON b.id = s.to_tap_id
         WHERE s.adjacent AND s.marked > 0 AND a.to_node = b.from_node
           AND NOT a.both_ways AND NOT b.both_ways) v
 GROUP BY v.device;

INSERT INTO counter_check(counted_id, what, counted, packets_min, packets_max,
                          verdict, tap_id, reason, settle)
WITH tallied AS (
  SELECT node, port, meaning, max(delta) AS delta, max(counted_id) AS counted_id,
         max(who) AS who
    FROM temp.tally
   WHERE node IS NOT NULL AND meaning IN ('tx_pauses', 'rx_pauses', 'tx_paused',
                                          'rx_paused', 'storms')
   GROUP BY node, port, meaning
   UNION ALL
  SELECT node, NULL, meaning, sum(delta), max(counted_id), node
    FROM temp.tally
   WHERE node IS NOT NULL AND address IS NULL AND meaning = 'ecn_marked'
   GROUP BY node),
pair AS (
  SELECT t.*, p.what, p.low, p.high, p.tap_id, p.unit,
         CASE WHEN t.delta = 0 AND p.low > (t.meaning <> 'storms')
                   AND p.certain THEN 'contradicts'
              WHEN t.delta < p.low THEN 'fewer'
              WHEN t.delta > p.high OR (p.high IS NULL AND t.delta > p.low)
              THEN CASE WHEN t.meaning = 'storms' THEN 'contradicts'
                        ELSE 'more' END
              ELSE 'agrees' END AS verdict
    FROM tallied t
    JOIN temp.port_saw p ON p.node = t.node AND p.port IS t.port
                        AND p.meaning = t.meaning
   WHERE NOT EXISTS (SELECT 1 FROM temp.host_saw h
                       JOIN node_address a ON a.address = h.address
                      WHERE a.node = t.node AND h.meaning = t.meaning))
SELECT counted_id, meaning, delta, low, high, verdict, tap_id,
       who || ' counted ' || CASE unit WHEN 'ns' THEN human_ns(delta)
                                       ELSE human_count(delta) END
         || ' (' || words(meaning) || '); the capture has '
         || CASE WHEN unit = 'ns'
                 THEN human_ns(low) || ' to ' || human_ns(high)
                 WHEN high IS NULL THEN 'at least ' || human_count(low)
                 WHEN low < high THEN human_count(low) || ' to '
                                      || human_count(high)
                 ELSE human_count(low) END || ' ' || what,
       CASE WHEN meaning = 'storms' AND verdict = 'contradicts' AND delta = 0
            THEN 'The watchdog of this port is off, waits longer, or saw '
              || 'nothing wait there; or its statistics are of another port.'
            WHEN meaning = 'storms' AND verdict = 'contradicts'
            THEN 'Pauses of this length are not in the capture: check the '
              || 'detection time, and that the statistics are of this port and '
              || 'time.'
            WHEN verdict = 'contradicts'
            THEN 'A counter that does not move, or one of another port: read '
              || 'it twice while traffic flows.'
            WHEN verdict = 'more'
            THEN 'Other traffic is counted as well, or the counters cover '
              || 'more than the capture.'
            WHEN verdict = 'fewer'
            THEN 'Read the counters again after a second, as some are delayed.'
       END
  FROM pair;
-- What was paused where the capture shows no pause: mirrors do not show them.
INSERT INTO counter_check(counted_id, what, counted, packets_min, verdict,
                          reason, settle)
SELECT max(t.counted_id), t.meaning, max(t.delta), 0, 'more',
       t.who || ' counted ' || plural(max(t.delta), 'pause frame')
         || CASE t.meaning WHEN 'rx_pauses' THEN ' to it' ELSE ' from it' END
         || '; the capture has none that are known to be: mirrors show none',
       'Tap the cable of this port to see who is paused, and for how long.'
  FROM temp.tally t
 WHERE t.meaning IN ('rx_pauses', 'tx_pauses') AND t.delta > 0
   AND NOT EXISTS (SELECT 1 FROM counter_check k JOIN counted c
                      ON c.id = k.counted_id
                    WHERE k.what = t.meaning AND k.counted_id = t.counted_id)
 GROUP BY t.who, t.meaning;

-- ## Drops and losses

-- Where packets say that they were lost.  Between two taps it is one device when
-- the topology file has it between them; then it is also known from whom they
-- came there and to whom they should have gone on.
CREATE TEMP TABLE loss_place AS
WITH way AS (
  SELECT s.to_tap_id, m.device,
         CASE m.device WHEN a.to_node THEN a.from_node ELSE a.to_node END
           AS in_peer,
         CASE m.device WHEN b.from_node THEN b.to_node ELSE b.from_node END
           AS out_peer
    FROM (SELECT s.id, CASE
                   WHEN a.to_node = b.from_node THEN a.to_node
                   WHEN NOT (a.both_ways OR b.both_ways) THEN NULL
                   WHEN a.to_node IN (b.from_node, b.to_node) THEN a.to_node
                   WHEN a.from_node IN (b.from_node, b.to_node)
                   THEN a.from_node END AS device
            FROM segment s /*scan*/ JOIN tap a ON a.id = s.from_tap_id
            JOIN tap b ON b.id = s.to_tap_id
           WHERE s.adjacent AND s.lost > 0) m
    JOIN segment s ON s.id = m.id
    JOIN tap a ON a.id = s.from_tap_id
    JOIN tap b ON b.id = s.to_tap_id),
only AS (
  SELECT to_tap_id, max(device) AS device, max(out_peer) AS out_peer,
         CASE WHEN count(DISTINCT in_peer) = 1 THEN max(in_peer) END AS in_peer
    FROM way GROUP BY to_tap_id
  HAVING count(*) = count(device) AND count(DISTINCT device) = 1
     AND count(DISTINCT out_peer) = 1)
SELECT i.id AS incident_id, i.kind, i.lost_min AS low, i.lost_max AS high,
       i.tap_id, i.dst, i.src, o.device, o.in_peer, o.out_peer,
       CASE i.kind WHEN 'loss_upstream' THEN t.to_node
                   WHEN 'loss_downstream' THEN t.from_node END AS not_device
  FROM incident i /*scan*/
  LEFT JOIN only o ON o.to_tap_id = i.tap_id AND i.kind = 'loss_between'
  LEFT JOIN tap t ON t.id = i.tap_id AND NOT ifnull(t.both_ways, 0)
 WHERE i.lost_min > 0
   AND i.kind IN ('loss_between', 'loss_upstream', 'loss_downstream');

-- Drops by port and direction, and who is at the other end of its link.
CREATE TEMP TABLE drop_port AS
SELECT t.who, ifnull(t.node, t.address) AS device, t.address,
       sum(t.delta) AS drops, max(t.counted_id) AS counted_id,
       t.meaning IN ('tx_drops', 'storm_drops') AS outward,
       (SELECT max(x.peer)
          FROM temp.link_end x
         WHERE x.node = t.node AND x.port = t.port) AS peer
  FROM temp.tally t
 WHERE t.meaning IN ('rx_drops', 'tx_drops', 'rx_no_buffer', 'rx_errors',
                     'storm_drops', 'icrc_errors')
 GROUP BY t.who, 2, t.address, outward;

-- Ports that may be the place of a loss; those of one device share its losses.
CREATE TEMP TABLE drop_place AS
SELECT l.*, p.who, p.drops, p.counted_id,
       ifnull(p.peer = CASE WHEN p.outward THEN l.out_peer
                            ELSE l.in_peer END, 1) AS fits
  FROM temp.loss_place l
  JOIN temp.drop_port p
    ON CASE WHEN l.device IS NOT NULL THEN p.device = l.device
            WHEN p.address IS NOT NULL
            THEN p.address = CASE l.kind WHEN 'loss_upstream' THEN l.src
                                         ELSE l.dst END
            ELSE p.device IS NOT l.not_device END;
CREATE TEMP TABLE drop_sum AS
SELECT incident_id, kind, tap_id, device, low, high,
       sum(drops * fits) AS drops, sum(drops * NOT fits) AS misfit,
       sum(drops * fits > 0) AS ports,
       max(CASE WHEN fits
                THEN printf('%020d%012d', drops, counted_id) || who END)
         AS chief,
       max(CASE WHEN NOT fits
                THEN printf('%020d%012d', drops, counted_id) || who END)
         AS other
  FROM temp.drop_place GROUP BY incident_id;

INSERT INTO counter_check(counted_id, what, counted, packets_min, packets_max,
                          verdict, incident_id, tap_id, reason, settle)
WITH total AS (
  SELECT ifnull(device, '') AS device, sum(low) AS low,
         sum(ifnull(high, low)) AS high, max(drops) AS drops
    FROM temp.drop_sum GROUP BY 1),
judged AS (
  SELECT d.incident_id, d.tap_id, d.ports, d.device,
         t.drops AS counted, t.low, t.high, substr(d.chief, 33) AS chief,
         substr(d.other, 33) AS other,
         CAST(substr(CASE WHEN d.drops > 0 OR d.misfit = 0 THEN d.chief
                          ELSE d.other END, 21, 12) AS INTEGER)
           AS counted_id, d.misfit,
         CASE WHEN d.drops > 0 AND t.drops < t.low THEN 'fewer'
              WHEN d.drops > 0 AND t.drops <= t.high THEN 'explains'
              WHEN d.drops > 0 THEN 'more'
              WHEN d.device IS NULL THEN 'fewer'
              WHEN d.misfit > 0 THEN 'elsewhere'
              ELSE 'none' END AS how
    FROM temp.drop_sum d
    JOIN total t ON t.device = ifnull(d.device, ''))
SELECT counted_id, 'losses', CASE how WHEN 'elsewhere' THEN misfit
                                      ELSE counted END, low, high,
       CASE WHEN how IN ('elsewhere', 'none') THEN 'contradicts' ELSE how END,
       incident_id, tap_id,
       CASE
         WHEN how = 'elsewhere'
         THEN other || ' counted ' || plural(misfit, 'drop') || ', but '
              || replace(between_text(low, high, 'packet'), 'At', 'at')
              || ' lost in ' || device || ' did not go by that port'
         WHEN how = 'none'
         THEN 'no drop or error counter of ' || device || ' moved, although '
              || replace(between_text(low, high, 'packet'), 'At', 'at')
              || ' were lost between the taps on both its sides'
         WHEN counted = 0
         THEN 'the drop and error counters that were given (' || chief
              || ' and others) counted none of '
              || replace(between_text(low, high, 'lost packet'), 'At', 'at')
         ELSE CASE WHEN ports = 1 THEN chief
                   ELSE plural(ports, 'port') || ', most of all ' || chief
                        || ',' END
              || ' counted ' || plural(counted, 'drop') || ': '
              || CASE how WHEN 'fewer' THEN 'at most so many of '
                          WHEN 'more' THEN 'enough for, and more than, '
                          ELSE 'they account for ' END
              || replace(between_text(low, high, 'lost packet'), 'At', 'at') END,
       CASE how
         WHEN 'elsewhere'
         THEN 'Check whether ports are mixed up, in the file or in the '
              || 'topology file.'
         WHEN 'none'
         THEN 'Either these counters do not count such drops (look at those of '
              || 'queues, buffers and the ASIC), or the mirror of one tap lost '
              || 'them, or another device or a bad cable is between the taps, '
              || 'or the counters were read at another time.'
         WHEN 'fewer'
         THEN 'Give the counters of the other devices on the path.'
         WHEN 'more'
         THEN 'Read counters of the lossless queue, immediately before and '
              || 'after the capture: other traffic is counted as well.' END
  FROM judged;

-- Drops where the packets prove no loss: of other traffic, or of what nobody
-- retransmitted while it was captured.
INSERT INTO counter_check(counted_id, what, counted, packets_min, verdict,
                          reason, settle)
SELECT max(p.counted_id), 'drops', sum(p.drops), 0, 'more',
       CASE count(*) WHEN 1 THEN max(p.who)
                     ELSE plural(count(*), 'port') || ' of ' || p.device END
         || ' counted ' || plural(sum(p.drops), 'drop')
         || '; the packets of this capture prove no loss there',
       'Capture on both sides of this device, and for longer than the '
         || 'retransmission timeout; or look for other traffic that it drops.'
  FROM temp.drop_port p
 WHERE p.drops > 0
   AND NOT EXISTS (SELECT 1 FROM temp.drop_place d WHERE d.who = p.who)
 GROUP BY p.device;

-- ## Not of this capture

INSERT INTO counter_check(counted_id, what, counted, verdict, reason, settle)
SELECT min(c.id), 'clock', count(*), 'unused',
       'The counters of ' || ifnull(s.device, s.path) || ' were read from '
         || human_ns(abs(min(c.first_ns) - t.a))
         || CASE WHEN min(c.first_ns) < t.a THEN ' before' ELSE ' after' END
         || ' the begin of the capture on, and not '
         || CASE WHEN max(c.covers IS NULL) THEN 'during all of it'
                 ELSE 'while it ran' END,
       'Compare the clock of this device with that of the capture, or read '
         || 'the counters while it runs.'
  FROM counted c /*scan*/
  JOIN evidence_source s ON s.id = c.source_id,
       (SELECT min(first_ns) AS a FROM tap WHERE packets > 0) t
 WHERE c.covers IS NOT 1 AND c.first_ns IS NOT NULL AND c.readings > 1
 GROUP BY ifnull(s.device, s.path);

DROP TABLE temp.here;
DROP TABLE temp.port_of;
DROP TABLE temp.other_port;
DROP TABLE temp.calm;
DROP TABLE temp.device_name;
DROP TABLE temp.loss_place;
DROP TABLE temp.drop_port;
DROP TABLE temp.drop_place;
DROP TABLE temp.drop_sum;
DROP TABLE temp.port_pause;
DROP TABLE temp.port_saw;
DROP TABLE temp.meaning;
