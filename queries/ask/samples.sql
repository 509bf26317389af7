-- Which RoCE packets did switches sample, or report to have dropped?
-- From sFlow, and from drop reports in IPFIX.
--
-- param dropped flag NULL  1: only what was dropped
-- param limit count 1000  at most so many
-- column device text  the switch, as it calls itself
-- column dropped flag  1: dropped; 0: sampled while it was forwarded
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair it is sent to
-- column psn count  PSN of the last
-- column input count  interface in
-- column output count  interface out
-- column reason text  why it was dropped
-- column samples count  reports or samples
-- column estimated count  packets that they stand for
-- column first_ns time  the first
-- column last_ns time  the last
-- column verdict word  explains: the packets show losses; contradicts; unused
-- column flow_id id  flow.id
--
-- example fabscope query DB samples --param dropped=1
SELECT ifnull(s.node, s.device) AS device, d.dropped, d.src, d.dst, d.dst_qp,
       d.psn, d.input, d.output, d.reason, d.samples, d.estimated, d.first_ns,
       d.last_ns, d.verdict, d.flow_id
  FROM sampled d /*scan*/
  JOIN evidence_source s ON s.id = d.source_id
 WHERE :dropped IS NULL OR d.dropped = :dropped
 ORDER BY d.dropped DESC, d.estimated DESC, d.id
 LIMIT :limit
