-- Which errors do logs report, and do the packets confirm them?
-- param verdict word NULL  agrees contradicts unused
-- param limit count 1000  at most so many
-- column file text  the log
-- column line count  line of it
-- column ns time  time stamp of the log; NULL: none
-- column who text  who wrote it
-- column error word  the error that the requester gets
-- column status count  enum ibv_wc_status
-- column vendor hex  vendor's syndrome
-- column qpn hex  queue pair
-- column remote text  the other end
-- column verdict word  agrees: the packets show it; contradicts; unused
-- column late duration  the line is so much later than the packets
-- column reason text  why not agrees
--
-- example fabscope query DB error-logs --param verdict=contradicts
SELECT s.path AS file, l.line, l.ns,
       coalesce(l.address, s.address, s.node, s.device) AS who, l.error,
       l.status, l.vendor, l.qpn, l.remote, l.verdict, l.shift_ns AS late,
       l.reason
  FROM error_log l /*scan*/
  JOIN evidence_source s ON s.id = l.source_id
 WHERE :verdict IS NULL OR l.verdict = :verdict
 ORDER BY l.id
 LIMIT :limit
