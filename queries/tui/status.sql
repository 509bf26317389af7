-- What is at the top of every screen of the dashboard?
--
-- column first_ns time  first packet
-- column last_ns time  last packet
-- column packets count  packets analysed
-- column critical count  findings of this severity
-- column warnings count  findings of this severity
-- column dropped_kernel count  packets the capturing system dropped; NULL not
-- column reporting count  taps that report drops
-- column taps count  places of capture
SELECT min(c.first_ns) AS first_ns, max(c.last_ns) AS last_ns,
       sum(c.packets) AS packets,
       (SELECT count(*) FROM finding WHERE severity = 'critical') AS critical,
       (SELECT count(*) FROM finding WHERE severity = 'warning') AS warnings,
       (SELECT sum(dropped_reported) FROM tap /*scan*/) AS dropped_kernel,
       (SELECT count(dropped_reported) FROM tap /*scan*/) AS reporting,
       (SELECT count(*) FROM tap /*scan*/) AS taps
  FROM capture c /*scan*/
 WHERE c.packets > 0
