-- What is observable of encrypted Ultra Ethernet packets (TSS)?
-- One row per source, secure domain and secure source.  The counter of a source
-- goes up with every packet, whoever it is for, copies included: numbers that
-- are not here took another path, were lost or were not captured, which nobody
-- can tell from here; nor can losses, copies, messages, jobs and contexts be.
-- What begins like TSS and whose numbers do not count up is not here: it is
-- among the packets on Ultra Ethernet's port that hardly are any.
--
-- param limit count 1000  maximum number of rows
-- column tap text  where it was captured
-- column src text  sender
-- column sdi hex  secure domain
-- column ssi hex  secure source; NULL not in the packets
-- column packets count  packets
-- column bytes bytes  bytes on the wire
-- column receivers count  hosts they are for
-- column an count  association number (key) at the end
-- column key_changes count  times the key changed
-- column epoch_first count  epoch at first
-- column epoch_last count  and at the end
-- column epoch_changes count  times it changed
-- column seen_share share  share of the counter values seen here
-- column not_here count  counter values not seen here
-- column repeated count  duplicated on the path or by the mirror
-- column late count  packets that others of the source overtook
-- column late_max count  largest displacement, in counter values
-- column too_late count  reordered further than can be followed
-- column trimmed count  trimmed upstream of this capture point
-- column not_observable text  what encryption hides
--
-- example fabscope query DB tss --param limit=10
WITH receivers AS MATERIALIZED (
  SELECT tap_id, src, count(DISTINCT dst) AS n FROM flow /*scan*/
   WHERE transport = 'UET-TSS' GROUP BY tap_id, src)
SELECT ifnull(t.name, t.id) AS tap, s.src, s.sdi, s.ssi, s.packets, s.bytes,
       r.n AS receivers, s.an, s.key_changes, s.epoch_first, s.epoch_last, s.epoch_changes,
       1.0 * (s.expected - s.missing) / nullif(s.expected, 0) AS seen_share,
       s.missing AS not_here, s.repeated, s.late, s.late_max, s.too_late,
       s.trimmed,
       'losses, retransmissions, acknowledgements, messages, jobs, contexts'
         AS not_observable
  FROM tss /*scan*/ s
  JOIN tap t ON t.id = s.tap_id
  LEFT JOIN receivers r ON r.tap_id = s.tap_id AND r.src = s.src
 ORDER BY s.packets DESC, s.src, s.sdi, s.ssi
 LIMIT :limit
