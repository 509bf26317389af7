-- What was measured: the parts of a BMWG report that come before its results?
-- What no packet tells is taken from [dut] and [host] of the topology file, and
-- thresholds from configuration given with --evidence.
--
-- column part text  1 DUT identification to 4 host configuration
-- column item text  what
-- column value text  NULL not known
-- column missing text  what would be needed where value is NULL
--
-- example fabscope query DB benchmark-setup
WITH fact AS (
  SELECT part, key, title,
         group_concat(CASE name WHEN '' THEN value
                                ELSE name || ': ' || value END, '; ') AS value
    FROM sheet /*scan*/ GROUP BY part, key, title),
threshold(place, name, text) AS (VALUES
  (1, 'ecn_min', 'Wmin'), (2, 'ecn_max', 'Wmax'), (3, 'xon', 'XON'),
  (4, 'xoff', 'XOFF'), (5, 'headroom', 'headroom'),
  (6, 'cnp_interval', 'CNP interval'), (7, 'cut_period', 'rate reductions every')),
configured AS (
  SELECT group_concat(text || ' ' || say, ', ') AS value
    FROM (SELECT h.text, group_concat(DISTINCT
                   CASE WHEN h.place > 5 THEN human_ns(x.value)
                        ELSE human_bytes(x.value) END) AS say
            FROM threshold h
            JOIN setting x /*scan*/ ON x.name = h.name
           GROUP BY h.place ORDER BY h.place)),
said(part, place, item, value, missing) AS (
SELECT '1 DUT identification', 1, 'Switches',
       ifnull((SELECT CASE WHEN count(*) > 8 THEN count(*) || ' switches'
                           ELSE group_concat(name, ', ') END
                 FROM (SELECT name FROM node WHERE kind = 'switch'
                        ORDER BY name)
               HAVING count(*) > 0),
              (SELECT group_concat(system, ', ')
                 FROM (SELECT DISTINCT system FROM lldp
                        WHERE system IS NOT NULL LIMIT 8)
               HAVING count(*) > 0)),
       'a topology file (--topology) or LLDP in the capture'
UNION ALL
SELECT '1 DUT identification', 2, 'Switch model, ASIC, NOS version',
       (SELECT group_concat(value, '; ') FROM fact
         WHERE key IN ('switch-model', 'switch-asic', 'nos-version')),
       '[dut] of --topology'
UNION ALL
SELECT '1 DUT identification', 3, 'Port speed',
       (SELECT group_concat(rate, ', ')
          FROM (SELECT DISTINCT human_rate(speed_bps) AS rate
                  FROM (SELECT speed_bps FROM link
                        UNION SELECT speed_bps FROM tap)
                 WHERE speed_bps > 0 ORDER BY speed_bps LIMIT 8)
        HAVING count(*) > 0),
       'a topology file, or a capture with link speeds'
UNION ALL
SELECT '1 DUT identification', 4, 'Buffers, optics and cables',
       (SELECT group_concat(value, '; ') FROM fact
         WHERE key IN ('buffer', 'optics')),
       '[dut] of --topology'
UNION ALL
SELECT '1 DUT identification', 5, 'NIC model and firmware',
       (SELECT group_concat(value, '; ') FROM fact
         WHERE key IN ('nic-model', 'nic-firmware')),
       '[host] of --topology'
UNION ALL
SELECT '2 Test topology', 1, 'Fabric',
       (SELECT 'switches: ' || sum(kind = 'switch') || ', '
               || plural(sum(kind = 'host'), 'host') || ', '
               || plural((SELECT count(*) FROM link), 'link')
          FROM node HAVING count(*) > 0),
       'a topology file (--topology)'
UNION ALL
SELECT '2 Test topology', 2, 'Capture points',
       (SELECT CASE WHEN count(*) > 8 THEN count(*) || ' taps'
                    ELSE group_concat(name || ifnull(' (' || role || ')', ''),
                                      ', ') END
          FROM tap HAVING count(*) > 0), 'a capture'
UNION ALL
SELECT '2 Test topology', 3, 'Hosts seen',
       (SELECT human_count(count(*))
          FROM (SELECT src FROM flow /*scan*/ UNION
                SELECT dst FROM flow /*scan*/)), NULL
UNION ALL
SELECT '3 Test configuration', 1, 'Load balancing',
       (SELECT group_concat(mode, ', ')
          FROM (SELECT DISTINCT mode FROM balance WHERE mode IS NOT NULL)
        HAVING count(*) > 0), 'taps at parallel links'
UNION ALL
SELECT '3 Test configuration', 2, 'Service class',
       (SELECT group_concat(class, ', ')
          FROM (SELECT 'DSCP ' || dscp || ifnull(' on priority ' || pcp, '')
                         AS class
                  FROM flow /*scan*/ WHERE dscp IS NOT NULL
                 GROUP BY dscp, pcp ORDER BY count(*) DESC LIMIT 4)
        HAVING count(*) > 0), 'packets with payload'
UNION ALL
SELECT '3 Test configuration', 3, 'ECN at the hosts',
       (SELECT CASE WHEN max(ect_data + ce_data) IS NULL THEN NULL
                    WHEN sum(ect_data + ce_data) = 0
                    THEN 'off: no packet is ECN-capable'
                    WHEN sum(not_ect_data) = 0 THEN 'on'
                    ELSE 'on for '
                         || human_share(1.0 * sum(ect_data + ce_data)
                              / sum(ect_data + ce_data + not_ect_data))
                         || ' of the packets with payload' END
          FROM flow /*scan*/), 'packets with payload'
UNION ALL
SELECT '3 Test configuration', 4, 'PFC, as advertised',
       (SELECT CASE WHEN EXISTS (SELECT 1 FROM lldp
                                  WHERE pfc_enabled IS NOT NULL)
                    THEN ifnull('priorities ' || group_concat(b.value, ', '),
                                'off') END
          FROM json_each('[0,1,2,3,4,5,6,7]') b
         WHERE EXISTS (SELECT 1 FROM lldp
                        WHERE pfc_enabled >> b.value & 1)),
       'LLDP with DCBX in the capture'
UNION ALL
SELECT '3 Test configuration', 5,
       'ECN thresholds, PFC headroom, DCQCN',
       ifnull((SELECT value FROM fact WHERE key = 'qos'),
              (SELECT value FROM configured)),
       'configuration (--evidence), or [dut] of --topology'
UNION ALL
SELECT '4 Host configuration', 1, 'Transport',
       (SELECT group_concat(t, ', ')
          FROM (SELECT transport || ' (' || plural(count(*), 'flow') || ')'
                         AS t
                  FROM flow /*scan*/
                 WHERE id NOT IN (SELECT flow_id FROM same_flow)
                 GROUP BY transport
                 ORDER BY count(*) DESC LIMIT 6)
        HAVING count(*) > 0), 'RoCE or Ultra Ethernet traffic'
UNION ALL
SELECT '4 Host configuration', 2, 'Path MTU',
       (SELECT group_concat(pmtu, ', ')
          FROM (SELECT DISTINCT pmtu FROM flow /*scan*/
                 WHERE pmtu IS NOT NULL ORDER BY pmtu LIMIT 6)
        HAVING count(*) > 0), 'messages of more than one packet'
UNION ALL
SELECT '4 Host configuration', 3, 'Loss recovery',
       (SELECT group_concat(words(recovery), ', ')
          FROM (SELECT DISTINCT recovery FROM flow /*scan*/
                 WHERE recovery IS NOT NULL)
        HAVING count(*) > 0), 'losses and their recovery'
UNION ALL
SELECT '4 Host configuration', 4, 'ACK timeout, retries',
       (SELECT 'code ' || max(ack_timeout_code) || ', '
               || ifnull(max(retry_count), '?') || ' retries'
          FROM flow /*scan*/ WHERE ack_timeout_code IS NOT NULL
        HAVING count(*) > 0), 'connections made by CM in the capture'
UNION ALL
SELECT '4 Host configuration', 5, 'Driver, collective library, BIOS',
       (SELECT group_concat(value, '; ') FROM fact
         WHERE key IN ('host', 'collective-library')),
       '[host] of --topology'
UNION ALL
SELECT '4 Host configuration', 6,
       'UEC profile, link-layer features',
       (SELECT value FROM fact WHERE key = 'uec-profile'),
       '[host] of --topology'
 WHERE EXISTS (SELECT 1 FROM tap WHERE packets_uet > 0)
UNION ALL
SELECT CASE part WHEN 1 THEN '1 DUT identification'
                 WHEN 2 THEN '2 Test topology'
                 WHEN 3 THEN '3 Test configuration'
                 ELSE '4 Host configuration' END,
       9, title, value, NULL
  FROM fact
 WHERE key NOT IN ('switch-model', 'switch-asic', 'nos-version', 'buffer',
                   'optics', 'nic-model', 'nic-firmware', 'qos', 'host',
                   'collective-library', 'uec-profile')
UNION ALL
SELECT '4 Host configuration', 6, 'UEC profile, link-layer features', value,
       NULL
  FROM fact
 WHERE key = 'uec-profile'
   AND NOT EXISTS (SELECT 1 FROM tap WHERE packets_uet > 0))
SELECT part, item, value, CASE WHEN value IS NULL THEN missing END AS missing
  FROM said ORDER BY part, place, item
