-- What do congestion signaling tags (CSIG) say?
-- Values are quantized as the operator set it up: abw and abw_c keep the
-- smallest on the path, delay and depth the largest.
--
-- param flow id NULL  of this flow only; else of all flows together
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- column tap text  where it was read
-- column signal text  abw, abw_c, delay, depth; NULL a reserved type
-- column locator count  which hop was the bottleneck, as numbered by the operator
-- column stage count  upper bits of the locator, where that is configured
-- column port count  its lower bits
-- column samples count  packets
-- column value_min count  smallest value
-- column value_p50 count  median
-- column value_max count  largest value
-- column ce share  of the packets, marked
--
-- uses telemetry-in-window
-- example fabscope query DB csig
WITH readings AS (
  SELECT tap_id, type, signal, locator, stage, port, samples, value_min,
         value_p50, value_max, ce
    FROM csig /*scan*/
   WHERE flow_id IS :flow AND coalesce(:from, :to) IS NULL
  UNION ALL
  SELECT c.tap_id, c.type, c.signal, c.locator, c.stage, c.port, v.packets,
         v.least, v.p50, v.most, v.ce
    FROM csig c /*scan*/
    JOIN telemetry_in_window v ON v.telemetry_id = c.telemetry_id
   WHERE c.flow_id IS :flow AND coalesce(:from, :to) IS NOT NULL)
SELECT t.name AS tap, c.signal, c.locator, c.stage, c.port, c.samples,
       c.value_min, c.value_p50, c.value_max, 1.0 * c.ce / c.samples AS ce
  FROM readings c
  JOIN tap t ON t.id = c.tap_id
 ORDER BY c.tap_id, c.type, c.samples DESC, c.locator
 LIMIT 1000
