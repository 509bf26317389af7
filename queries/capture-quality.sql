-- How good is the capture itself?
--
-- column tap_id id  tap.id
-- column tap text  its name
-- column packets count  packets
-- column expected count  packet numbers covered by its flows
-- column capture_missing count  of these, missing in the capture only
-- column missing_share share  the same as share
-- column dropped_reported count  drops the capturing system reports
-- column mirror_seq_lost count  copies missing by the mirror's numbering
-- column mirror_duplicates count  second copies, set aside
-- column time_regressions count  times that went back
-- column truncated count  cut inside the headers
-- column malformed count  packets that contradict themselves
-- column unknown_opcodes count  RoCE opcodes of unknown layout
-- column icrc_bad count  wrong invariant CRC
-- column icrc_checked_share share  packets whose invariant CRC was checkable
-- column low_confidence flag  1: loss verdicts here are of low confidence
--
-- example fabscope query DB capture-quality
SELECT t.id AS tap_id, t.name AS tap, t.packets, c.expected,
       c.capture_missing, c.missing_share, t.dropped_reported,
       t.mirror_seq_lost, t.mirror_duplicates,
       t.timestamp_regressions AS time_regressions, t.truncated,
       t.malformed, t.unknown_opcodes, t.icrc_bad,
       1.0 * (t.icrc_good + t.icrc_bad)
         / nullif(t.icrc_good + t.icrc_bad + t.icrc_unchecked, 0)
         AS icrc_checked_share,
       c.low_confidence
  FROM tap t
  LEFT JOIN coverage c ON c.tap_id = t.id
 ORDER BY t.id
