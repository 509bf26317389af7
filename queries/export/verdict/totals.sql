-- How much of everything is there?
-- A flow at several taps counts once.
--
-- column captures count  files read
-- column taps count  capture points
-- column packets count  packets analyzed
-- column roce_packets count  RoCE packets, with CNP
-- column uet_packets count  Ultra Ethernet packets
-- column bytes bytes  size of the captures, decompressed
-- column flows count  flows, one direction each
-- column events count  rows of table event
-- column findings count  all of them
-- column critical count  findings of this severity
-- column warnings count  findings of this severity
-- column first_ns time  first packet
-- column last_ns time  last packet
-- column lossless text  capture points between which no packet was lost, of 1000 or more
-- column rows_not_stored count  rows not stored because of a row limit
SELECT (SELECT count(*) FROM capture /*scan*/) AS captures,
       (SELECT count(*) FROM tap /*scan*/) AS taps,
       (SELECT sum(packets) FROM capture /*scan*/) AS packets,
       (SELECT sum(packets_roce + packets_cnp) FROM tap /*scan*/)
         AS roce_packets,
       (SELECT sum(packets_uet) FROM tap /*scan*/) AS uet_packets,
       (SELECT sum(bytes) FROM capture /*scan*/) AS bytes,
       (SELECT count(*) FROM flow /*scan*/)
         - (SELECT count(*) FROM same_flow /*scan*/) AS flows,
       (SELECT count(*) FROM event /*scan*/) AS events,
       (SELECT count(*) FROM finding /*scan*/) AS findings,
       (SELECT count(*) FROM finding /*scan*/ WHERE severity = 'critical')
         AS critical,
       (SELECT count(*) FROM finding /*scan*/ WHERE severity = 'warning')
         AS warnings,
       (SELECT min(first_ns) FROM capture /*scan*/ WHERE packets > 0)
         AS first_ns,
       (SELECT max(last_ns) FROM capture /*scan*/ WHERE packets > 0)
         AS last_ns,
       (SELECT group_concat(a.name || ' to ' || b.name, ', ')
          FROM segment s /*scan*/
          JOIN tap a ON a.id = s.from_tap_id
          JOIN tap b ON b.id = s.to_tap_id
         WHERE s.adjacent AND s.one_in = 1 AND s.packets >= 1000
           AND s.lost = 0 AND s.open = 0 AND s.missed_to * 1000 <= s.packets
           AND EXISTS (SELECT 1 FROM finding
                        WHERE severity IN ('critical', 'warning')
                          AND rule LIKE '%los%')) AS lossless,
       (SELECT sum(not_stored) FROM row_limit /*scan*/) AS rows_not_stored
