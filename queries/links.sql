-- What did each of several parallel links carry?
--
-- param group id NULL  only the links of this group (link_group.id)
-- column group_id id  link_group.id
-- column link text  the link
-- column tap text  where it was captured; NULL nowhere
-- column speed_bps rate  its speed
-- column flows count  flows that used it
-- column packets count  packets
-- column bytes bytes  octets
-- column share share  of the octets of the group that were captured
-- column utilisation share  of the link
-- column peak share  in the fullest window
-- column ect count  packets that may be marked
-- column ce count  marked packets
--
-- example fabscope query DB links
SELECT m.group_id, m.member AS link, t.name AS tap, t.speed_bps, m.flows,
       m.packets, m.bytes, m.share, m.utilisation,
       m.utilisation_peak AS peak, m.ect, m.ce
  FROM balance_member m
  LEFT JOIN tap t ON t.id = m.tap_id
 WHERE :group IS NULL OR m.group_id = :group
 ORDER BY m.group_id, m.bytes DESC, m.member
