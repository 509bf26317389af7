-- On how much of the traffic do the verdicts rest?
--
-- column tap_id id  tap.id
-- column tap text  its name
-- column packets count  packets of all flows
-- column flows count  flows, one direction each
-- column both_share share  packets of flows seen in both directions
-- column flows_both count  flows seen in both directions
-- column flows_fwd count  flows whose answers are not here
-- column flows_rev count  answers whose requests are not here
-- column flows_unpaired count  flows whose other direction is not known
-- column flows_sprayed count  flows whose loss verdicts are withdrawn
-- column expected count  packet numbers covered
-- column checked count  of these, those whose answers are here
-- column capture_missing count  of these, missing in the capture only
-- column missing_share share  the same as share
-- column unresolved count  gaps nothing can be said about
-- column low_confidence flag  1: loss verdicts here are of low confidence
--
-- example fabscope query DB coverage
SELECT c.tap_id, t.name AS tap, c.packets, c.flows,
       1.0 * c.packets_both / nullif(c.connected_packets, 0) AS both_share,
       c.flows_both, c.flows_fwd, c.flows_rev, c.flows_unpaired,
       c.flows_sprayed, c.expected, c.checked, c.capture_missing,
       c.missing_share,
       c.unresolved, c.low_confidence
  FROM coverage c
  LEFT JOIN tap t ON t.id = c.tap_id
 ORDER BY c.tap_id
