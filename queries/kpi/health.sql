-- How healthy was the fabric?
-- Table 7 of the draft: most of it is known to switches only.
WITH t AS (
  SELECT sum(crc_bad) AS bad, sum(crc_bad + crc_good) AS n,
         nullif(max(last_ns) - min(first_ns), 0) AS ns
    FROM tap JOIN coverage c ON c.tap_id = tap.id),
can AS (
  SELECT max(verdict <> 'no') AS icrc, max(why) AS why
    FROM observability WHERE what = 'icrc')
SELECT 'Switch CPU Utilization' AS name, '4.3' AS section, 1 AS place,
       NULL AS value, '%' AS unit, 'NO' AS class, NULL AS confidence,
       'switch telemetry (gNMI, SNMP)' AS missing, NULL AS note,
       NULL AS samples
UNION ALL
SELECT 'Switch Memory Utilization', '4.3', 2, NULL, '%', 'NO', NULL,
       'switch telemetry (gNMI, SNMP)', NULL, NULL
UNION ALL
SELECT 'FIB/Route Convergence Time', '4.3', 3, NULL, 'ms', 'NO', NULL,
       'a capture of the routing protocol; the effect on flows is in 11.2', NULL,
       NULL
UNION ALL
SELECT 'Link Flap Count', '4.3', 4, NULL, 'events', 'NO', NULL,
       'interface counters or logs of the switches', NULL, NULL
UNION ALL
SELECT 'CRC/FCS Error Rate', '4.3', 5,
       CASE WHEN can.icrc AND n > 0 THEN 1e9 * bad / ns END, '1/s', '1T', 0.7,
       'whole packets: ' || ifnull(can.why, 'there are none'),
       'ICRC and UET CRC only: corruption on the path to this capture point', n
  FROM t, can
UNION ALL
SELECT 'Power Consumption', '4.3', 6, NULL, 'W', 'NO', NULL,
       'switch telemetry (gNMI, SNMP)', NULL, NULL
