-- Was this captured by a NIC that writes its own data into the packets?
SELECT 'info' AS severity, 0.9 AS confidence,
       'A NIC sniffer wrote time stamps into the source addresses of '
         || plural(count(*), 'tap') AS title,
       'Source MACs grow like a clock and every UDP source port is 4791. '
         || 'Hosts are distinguished by their IP addresses only, and the ICRC '
         || 'cannot be checked.' AS detail,
       NULL AS action,
       CASE count(*) WHEN 1 THEN max(id) END AS tap_id,
       json_object('numbers', json_object('taps', count(*)),
                   'query', 'fabscope query DB taps') AS evidence
  FROM tap
 WHERE nic_sniffer
HAVING count(*) > 0
