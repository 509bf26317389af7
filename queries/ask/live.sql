-- Is a live analysis running, and does it keep up?
-- The latest word on each tap, of a time window the last in it; no row for
-- databases of files.
--
-- param from time NULL  not before
-- param to time NULL  not after
-- column tap_id id  tap.id
-- column name text  the interface
-- column state text  up, down, ended
-- column ns time  when it was said
-- column received count  packets analyzed since live was started
-- column dropped_kernel count  dropped since then by the kernel
-- column dropped_interface count  by the interface or its driver
-- column dropped_own count  by the analysis itself
-- column lag_ns duration  analysis behind the clock
-- column buffered bytes  packets that waited for it
-- column refresh_ns duration  what the refresh before took
--
-- example fabscope query DB live
SELECT s.tap_id, t.name, s.state, s.ns, s.received, s.dropped_kernel,
       s.dropped_interface, s.dropped_own, s.lag_ns, s.buffered, s.refresh_ns
  FROM live_status s
  JOIN tap t ON t.id = s.tap_id
 WHERE s.id = (SELECT max(id) FROM live_status /*scan*/
                WHERE tap_id = t.id AND (:from IS NULL OR ns >= :from)
                  AND (:to IS NULL OR ns <= :to))
 ORDER BY s.tap_id
