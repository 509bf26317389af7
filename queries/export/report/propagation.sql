-- Which pause storm made which?
-- What travels to the first port waits, and then the device behind the second
-- can take no more.
--
-- param limit count 1000  maximum number of rows
-- column cause_id id  storm.id
-- column cause word  the port that sent PFC pause first
-- column effect_id id  storm.id, one tapped link nearer to the senders
-- column effect text  the port that asked because of it
-- column priority id  0..7; NULL the whole link
-- column first_ns time  begin of the second
-- column delay_ns duration  from begin to begin
-- column flows count  flows that cross both links
--
-- example fabscope query DB report/propagation
SELECT e.cause_id, cp.who AS cause, e.effect_id, ep.who AS effect, x.priority,
       x.first_ns, e.delay_ns, e.flows
  FROM storm_edge e /*scan*/
  JOIN storm c ON c.id = e.cause_id
  JOIN storm x ON x.id = e.effect_id
  JOIN pause_sender cp /*scan*/ ON cp.tap_id = c.tap_id
       AND cp.source_mac = c.source_mac AND cp.priority IS c.priority
  JOIN pause_sender ep /*scan*/ ON ep.tap_id = x.tap_id
       AND ep.source_mac = x.source_mac AND ep.priority IS x.priority
 ORDER BY x.first_ns, e.cause_id, e.effect_id
 LIMIT :limit
