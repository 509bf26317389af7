-- On how much of the traffic do the verdicts rest?
--
-- column tap_id id  tap.id
-- column tap text  its name
-- column packets count  packets of all flows
-- column flows count  flows, one direction each
-- column both_share share  packets of flows seen in both directions
-- column flows_both count  flows seen in both directions
-- column flows_fwd count  flows without their responses
-- column flows_rev count  responses without their requests
-- column flows_unpaired count  flows whose other direction is not identified
-- column flows_sprayed count  flows whose loss verdicts are withheld
-- column expected count  PSNs covered
-- column checked count  of these, those whose responses are captured
-- column capture_missing count  of these, capture gap: delivered but not captured
-- column missing_share share  the same as share
-- column unresolved count  PSN gaps whose cause is ambiguous
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
