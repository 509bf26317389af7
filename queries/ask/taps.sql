-- Which capture points are there, and what did each see?
-- In a time window: its packets and CNPs; other kinds of packets are not
-- known.
--
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- column id id  tap.id
-- column name text  name
-- column path text  its file
-- column speed_bps rate  link speed
-- column snaplen bytes  snaplen in bytes
-- column packets count  packets
-- column roce count  RoCE packets
-- column cnp count  congestion notifications
-- column uet count  Ultra Ethernet packets
-- column pfc count  PFC and pause frames; see observability before reading 0
-- column other count  everything else
-- column first_ns time  first packet
-- column last_ns time  last packet
-- column place count  same number: parallel links of one hop, or the two directions of a link
-- column nic_sniffer flag  1: source MACs are time stamps
-- column half_of id  the tap that shows the other direction of its link, or seems to
-- column half_by text  why they are one capture point: addresses, name or topology
-- column half_why_not text  why they are not: "hosts" talk, which proves nothing; two "files"; not in "order" of time
-- column uet_unnamed_port id  UDP port that nobody named, where Ultra Ethernet is all the same
-- column uet_unnamed count  packets there, of the others
--
-- uses tap-in-window
-- example fabscope query DB taps
SELECT t.id, t.name, c.path, t.speed_bps, t.snaplen,
       iif(n.now, p.packets, t.packets) AS packets,
       iif(n.now, NULL, t.packets_roce) AS roce,
       iif(n.now, p.cnp, t.packets_cnp) AS cnp,
       iif(n.now, NULL, t.packets_uet) AS uet,
       iif(n.now, NULL, t.packets_pfc + t.packets_pause) AS pfc,
       iif(n.now, NULL, t.packets_lldp + t.packets_other) AS other,
       t.first_ns, t.last_ns, t.place, t.nic_sniffer, t.half_of,
       t.half_by, t.half_why_not, t.uet_unnamed_port,
       iif(n.now, NULL, t.packets_uet_unnamed) AS uet_unnamed
  FROM (SELECT coalesce(:from, :to) IS NOT NULL AS now) n
  JOIN tap t
  LEFT JOIN capture c ON c.id = t.capture_id
  LEFT JOIN tap_in_window p ON p.tap_id = t.id
 ORDER BY t.id
