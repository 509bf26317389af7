-- What do SACKs and NACKs of Multipath Reliable Connection say?
-- They are in the flow to the sender of the data.  Not judged: whether it was
-- right to retransmit.
--
-- param flow id NULL  only this flow
-- param limit count 1000  maximum number of rows
-- column flow_id id  flow.id
-- column tap_id id  capture point
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair it is sent to
-- column packets count  packets
-- column ports count  UDP source ports of them
-- column entropies count  pairs of IPv6 flow label and UDP source port: entropy values
-- column data count  packets with data
-- column retransmitted count  of these, those marked as retransmissions
-- column sacks count  SACKs
-- column skip_once count  SACKs that ask to skip the path once: ECN CE
-- column always_skip count  SACKs that call the path bad
-- column nacks count  NACKs
-- column trimmed count  of these, because a switch trimmed the packet
-- column no_room count  ... because the receiver had no room for it
-- column other_nacks count  ... for other reasons
-- column probes count  reliability probes
-- column probe_replies count  SACKs that answer a probe
-- column most_penalty count  largest penalty of the receiver, 0 to 127
--
-- example fabscope query DB mrc
SELECT m.flow_id, f.tap_id, f.src, f.dst, f.dst_qp, f.packets,
       f.udp_sports AS ports, m.entropies, m.data, m.retransmitted, m.sacks, m.skip_once,
       m.always_skip, m.nacks, m.trimmed + m.trimmed_lasthop AS trimmed,
       m.no_bitmap + m.no_buffer + m.no_resource + m.out_of_window AS no_room,
       m.unexpected + m.other_reasons AS other_nacks, m.probes,
       m.probe_replies, m.most_penalty
  FROM mrc m /*scan*/
  JOIN flow f ON f.id = m.flow_id
 WHERE :flow IS NULL OR m.flow_id = :flow
 ORDER BY m.nacks + m.always_skip + m.skip_once DESC, m.flow_id
 LIMIT :limit
