-- What was captured at each capture point, and how good is it?
-- The hundred with most packets.
--
-- column id id  tap.id
-- column name text  given with --tap, or the interface's name
-- column path text  the capture
-- column place count  taps of one place are links of the same hop, or the directions of one
-- column snaplen bytes  snaplen in bytes
-- column packets count  packets in the capture
-- column packets_roce count  RoCE packets without CNP
-- column packets_cnp count  congestion notification packets (CNP)
-- column packets_uet count  Ultra Ethernet packets
-- column packets_pfc count  PFC frames
-- column packets_pause count  global pause frames
-- column packets_other count  everything else but LLDP
-- column with_tap text  the tap of the same place that has its flows
-- column half text  the tap that shows the other direction of its link, or seems to; at the first of the two
-- column half_by text  who says so: they are one place
-- column half_why_not text  why they are not: hosts files order
-- column flows count  flows, one direction each
-- column connected_flows count  those whose transport sends ACKs
-- column flows_both count  of these, seen in both directions
-- column flows_unpaired count  of these, partner not identified
-- column flows_sprayed count  parts of them go elsewhere
-- column expected count  PSNs covered
-- column checked count  of these, those whose responses are captured
-- column capture_missing count  of these, capture gap: delivered but not captured
-- column missing_share share  the same as share
-- column lost count  proven losses, lower bound
-- column unresolved count  PSN gaps whose cause is ambiguous
-- column low_confidence flag  capture loss spoils loss verdicts
-- column dropped_reported count  packets the capturing system dropped
-- column mirror_seq_lost count  mirrored packets missing by the mirror's sequence numbers
-- column mirror_duplicates count  mirror duplicates
-- column timestamp_regressions count  out-of-order timestamps
-- column truncated count  truncated (snaplen) inside the headers
-- column malformed count  malformed packets
-- column fragments count  IP fragments
-- column icrc_good count  invariant CRC right
-- column icrc_bad count  invariant CRC wrong
-- column icrc_unchecked count  invariant CRC not checkable
-- column nic_sniffer flag  source MACs hold time stamps
-- column spray_suspect flag  one of several sprayed links
-- column sampled_one_in real  the mirror copies one packet in so many; NULL all
-- column estimated_packets count  sampled: packets there were
-- column estimated_packets_error real  of that, one standard deviation
SELECT *
  FROM (SELECT t.id, t.name, p.path, t.place, t.snaplen, t.packets,
               t.packets_roce, t.packets_cnp, t.packets_uet, t.packets_pfc,
               t.packets_pause, t.packets_other,
               CASE WHEN c.flows = 0 AND t.packets_roce + t.packets_uet > 0
                    THEN (SELECT s.name
                            FROM tap s JOIN coverage k ON k.tap_id = s.id
                           WHERE s.place = t.place AND k.flows > 0
                           ORDER BY s.id LIMIT 1) END AS with_tap,
               (SELECT h.name FROM tap h
                 WHERE h.id = t.half_of AND h.id > t.id) AS half,
               t.half_by, t.half_why_not,
               c.flows, c.connected_flows, c.flows_both, c.flows_unpaired,
               c.flows_sprayed, c.expected, c.checked, c.capture_missing,
               c.missing_share, c.lost, c.unresolved, c.low_confidence,
               t.dropped_reported, t.mirror_seq_lost, t.mirror_duplicates,
               t.timestamp_regressions, t.truncated, t.malformed, t.fragments,
               c.crc_good AS icrc_good, c.crc_bad AS icrc_bad,
               c.crc_unchecked AS icrc_unchecked, t.nic_sniffer,
               t.spray_suspect, t.sampled_one_in, t.estimated_packets,
               t.estimated_packets_error
          FROM tap t /*scan*/
          LEFT JOIN capture p ON p.id = t.capture_id
          LEFT JOIN coverage c ON c.tap_id = t.id
         ORDER BY t.packets DESC, t.id LIMIT 100)
 ORDER BY id
