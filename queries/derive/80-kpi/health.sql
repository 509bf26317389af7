-- How healthy was the fabric?
-- Table 7 of the draft: most of it is known to switches only.
--
-- into kpi
WITH t AS (
  SELECT sum(crc_bad) AS bad, sum(crc_bad + crc_good) AS n,
         nullif(max(last_ns) - min(first_ns), 0) AS ns
    FROM tap JOIN coverage c ON c.tap_id = tap.id),
-- What ports counted while the capture ran.
port AS (
  SELECT sum(delta) FILTER (WHERE meaning = 'link_down') AS down,
         count(*) FILTER (WHERE meaning = 'link_down') AS down_n,
         sum(delta) FILTER (WHERE meaning = 'rx_errors') AS errors,
         count(*) FILTER (WHERE meaning = 'rx_errors') AS errors_n
    FROM counted /*scan*/ WHERE covers AND delta IS NOT NULL),
can AS (
  SELECT max(verdict <> 'no') AS icrc, max(why) AS why
    FROM observability WHERE what = 'icrc')
SELECT 'FIB/Route Convergence Time' AS name, '4.3' AS section, 3 AS place,
       NULL AS value, 'ms' AS unit, 'NO' AS class, NULL AS confidence,
       'a capture of the routing protocol; the effect on flows is in 11.2'
         AS missing, NULL AS note, NULL AS samples
UNION ALL
SELECT 'Link Flap Count', '4.3', 4, down, 'events', 'TEL', 0.9,
       'interface counters of switches or NICs: --evidence',
       'by the counters of ' || plural(down_n, 'port'), down_n
  FROM port
UNION ALL
SELECT 'CRC/FCS Error Rate', '4.3', 5,
       CASE WHEN errors_n > 0 THEN 1e9 * errors / ns
            WHEN can.icrc AND n > 0 THEN 1e9 * bad / ns END, '1/s',
       CASE WHEN errors_n > 0 THEN 'TEL' ELSE '1T' END, 0.7,
       'whole packets, or interface counters (--evidence): '
         || ifnull(can.why, 'there are none'),
       CASE WHEN errors_n > 0
            THEN 'by the counters of ' || plural(errors_n, 'port')
            ELSE 'ICRC and UET CRC only: corruption on the path to this '
              || 'capture point' END,
       CASE WHEN errors_n > 0 THEN errors_n ELSE n END
  FROM t, can, port
