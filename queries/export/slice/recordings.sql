-- In which files are the packets of a live analysis, as far as they are kept?
-- One row for each file and tap.  A run is from one start of live to the next:
-- frame numbers begin anew with each.
--
-- column id id  recording.id
-- column path text  the file
-- column open flag  1: it was still written
-- column first_ns time  first packet
-- column last_ns time  last packet
-- column tap_id id  tap.id
-- column name text  the interface
-- column first_frame count  frame number of its first packet
-- column last_frame count  frame number of its last packet
-- column run count  which run of live, from 1
SELECT r.id, r.path, r.state = 'open' AS open, r.first_ns, r.last_ns, p.tap_id,
       t.name, p.first_frame, p.last_frame,
       (SELECT count(*) FROM live_epoch e
         WHERE e.why IN ('start', 'restart') AND e.first_ns <= r.first_ns)
         AS run
  FROM recording r /*scan*/
  JOIN recording_tap p ON p.recording_id = r.id
  JOIN tap t ON t.id = p.tap_id
 WHERE r.state <> 'gone'
 ORDER BY r.first_ns, r.id, p.tap_id
