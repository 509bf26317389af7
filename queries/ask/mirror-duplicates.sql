-- Where did the mirror deliver packets twice?
--
-- column tap_id id  tap.id
-- column tap text  its name
-- column packets count  packets
-- column mirror_duplicates count  mirror duplicates, counted nowhere else
-- column share share  of all packets
--
-- example fabscope query DB mirror-duplicates
SELECT id AS tap_id, name AS tap, packets, mirror_duplicates,
       1.0 * mirror_duplicates / nullif(packets, 0) AS share
  FROM tap
 WHERE mirror_duplicates > 0
 ORDER BY id
