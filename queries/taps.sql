-- Where was captured, and what passed there?
--
-- column id id  tap.id
-- column name text  name
-- column path text  its file
-- column speed_bps rate  link speed
-- column snaplen bytes  octets kept of a packet
-- column packets count  packets
-- column roce count  RoCE packets
-- column cnp count  congestion notifications
-- column uet count  Ultra Ethernet packets
-- column pfc count  PFC and pause frames; see observability before reading 0
-- column other count  everything else
-- column first_ns time  first packet
-- column last_ns time  last packet
-- column place count  taps of one place are links of the same hop
-- column nic_sniffer flag  1: source MACs are time stamps
--
-- example fabscope query DB taps
SELECT t.id, t.name, c.path, t.speed_bps, t.snaplen, t.packets,
       t.packets_roce AS roce, t.packets_cnp AS cnp, t.packets_uet AS uet,
       t.packets_pfc + t.packets_pause AS pfc,
       t.packets_lldp + t.packets_other AS other,
       t.first_ns, t.last_ns, t.place, t.nic_sniffer
  FROM tap t
  LEFT JOIN capture c ON c.id = t.capture_id
 ORDER BY t.id
