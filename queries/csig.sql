-- What do congestion signalling tags (CSIG) say?
-- Values are quantised as the operator set it up: abw and abw_c keep the
-- smallest of the way, delay and depth the largest.
--
-- param flow id NULL  of this flow only; else of all flows together
-- column tap text  where it was read
-- column signal text  abw, abw_c, delay, depth; NULL a reserved type
-- column locator count  which hop was the bottleneck, as the operator numbers
-- column stage count  upper bits of the locator, where that is configured
-- column port count  its lower bits
-- column samples count  packets
-- column value_min count  smallest value
-- column value_p50 count  median
-- column value_max count  largest value
-- column ce share  of the packets, marked
--
-- example fabscope query DB csig
SELECT t.name AS tap, c.signal, c.locator, c.stage, c.port, c.samples,
       c.value_min, c.value_p50, c.value_max, 1.0 * c.ce / c.samples AS ce
  FROM csig c /*scan*/
  JOIN tap t ON t.id = c.tap_id
 WHERE c.flow_id IS :flow
 ORDER BY c.tap_id, c.type, c.samples DESC, c.locator
 LIMIT 1000
