-- From when to when were there flows?
-- The impaired ones, then the biggest.
--
-- param limit count 10000  maximum number of rows
-- column process text  top of the tree
-- column track text  row of it
-- column lane text  row below, or NULL
-- column name text  what is written on the slice
-- column start_ns time  begin
-- column end_ns time  end; NULL or the same: a moment
-- column packets count  packets, retransmissions included
-- column bytes bytes  bytes on the wire
-- column retransmitted count  retransmitted
-- column recovery_ns duration  time lost in recoveries
-- column total count  total number
SELECT 'Flows' AS process, 'flow ' || id AS track, NULL AS lane,
       transport || ' ' || src || ' > ' || dst
         || ifnull(printf(', QP 0x%06x', dst_qp),
                   ifnull(printf(', PDC 0x%04x', spdcid), '')) AS name,
       first_ns AS start_ns, last_ns AS end_ns, packets, bytes, retransmitted,
       recovery_ns, count(*) OVER () AS total
  FROM flow /*scan*/
 ORDER BY impaired DESC, recovery_ns DESC, bytes DESC, id
 LIMIT :limit
