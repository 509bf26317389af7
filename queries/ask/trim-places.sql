-- On which part of the path were packets trimmed, and on the way to whom?
-- One row for each part of the way and receiver.  A flow at several taps counts
-- once.  Which switch it was is known of the last one, from the topology file.
--
-- param job count NULL  only this job
-- param incident id NULL  only flows of this incident
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- param limit count NULL  maximum number of rows
-- column place text  segment, named by the taps at its ends
-- column dst text  receiver
-- column last_switch text  the switch of the receiver; NULL not given
-- column trimmed count  packets
-- column by_last count  of these, by the last switch: incast
-- column inside count  of these, by an earlier switch: a full path inside the fabric
-- column senders count  hosts that sent them
-- column flows count  flows, one direction each
-- column cut_bytes bytes  payload cut from packets seen trimmed at this capture point, as far as reported
-- column retransmitted_packets count  packets retransmitted for it
-- column retransmitted_bytes bytes  payload retransmitted
-- column cost_ns duration  from the original to its ACK, mean
-- column cost_max_ns duration  the same, of the flow with the longest
-- column flow_id id  the flow of which most was trimmed
--
-- uses trims-by-tap
-- uses flow-once
-- example fabscope query DB trim-places
WITH one AS (
  SELECT o.counted_id, min(t.src) AS src, min(t.dst) AS dst,
         max(t.trimmed_upstream + t.trimmed_downstream) AS trimmed,
         max(t.trimmed_lasthop) AS by_last, max(t.trimmed_inside) AS inside,
         max(t.cut_bytes) AS cut_bytes, max(t.retransmitted_packets) AS packets,
         max(t.retransmitted_bytes) AS bytes, max(t.cost_ns) AS cost_ns,
         group_concat(iif(p.trimmed_downstream > 0,
                          ifnull(a.name, 'tap ' || a.id), NULL), ', ')
           AS passed,
         group_concat(iif(p.trimmed_upstream > 0,
                          ifnull(a.name, 'tap ' || a.id), NULL), ', ') AS came
    FROM trims_by_tap t
   CROSS JOIN flow_once o ON o.flow_id = t.flow_id
   CROSS JOIN pdc p ON p.flow_id = t.flow_id
    LEFT JOIN tap a ON a.id = t.tap_id
   GROUP BY o.counted_id),
placed AS (
  SELECT *, row_number() OVER (PARTITION BY place, dst
                                   ORDER BY trimmed DESC, counted_id) AS rank
    FROM (SELECT *,
                 CASE WHEN passed = came THEN 'upstream and downstream of ' || came
                      WHEN passed IS NOT NULL AND came IS NOT NULL
                      THEN 'between ' || passed || ' and ' || came
                      WHEN came IS NOT NULL THEN 'upstream of ' || came
                      ELSE 'downstream of ' || passed END AS place
            FROM one))
SELECT p.place, p.dst, max(h.attached) AS last_switch,
       iif(count(trimmed) = count(*), sum(trimmed), NULL) AS trimmed,
       iif(count(by_last) = count(*), sum(by_last), NULL) AS by_last,
       iif(count(inside) = count(*), sum(inside), NULL) AS inside,
       count(DISTINCT src) AS senders, count(*) AS flows,
       sum(cut_bytes) AS cut_bytes, sum(packets) AS retransmitted_packets,
       sum(bytes) AS retransmitted_bytes,
       CAST(1.0 * sum(cost_ns * packets)
            / nullif(sum(iif(cost_ns IS NULL, NULL, packets)), 0) AS INTEGER)
         AS cost_ns, max(cost_ns) AS cost_max_ns,
       max(iif(rank = 1, counted_id, NULL)) AS flow_id
  FROM placed p
  LEFT JOIN node_address n ON n.address = p.dst
  LEFT JOIN node h ON h.name = n.node
 GROUP BY p.place, p.dst
 ORDER BY 4 DESC, 1, 2
 LIMIT ifnull(:limit, -1)
