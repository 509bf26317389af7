-- Would it be noticed if the capture missed packets?
--
-- into observability
SELECT t.id AS tap_id, 'capture_loss' AS what,
       CASE WHEN t.mirror_seq_seen THEN 'yes'
            WHEN c.packets_both >= 0.999 * c.connected_packets THEN 'yes'
            WHEN c.packets_both > 0 OR t.dropped_reported IS NOT NULL
            THEN 'partial' ELSE 'no' END AS verdict,
       CASE WHEN t.mirror_seq_seen
            THEN 'the mirror numbers its packets (ERSPAN): '
                 || human_count(t.mirror_seq_lost) || ' are missing'
            WHEN c.packets_both > 0
            THEN 'packets that receivers acknowledge but that were not '
                 || 'captured: ' || ifnull(human_count(c.capture_missing),
                                           'not known')
            WHEN t.dropped_reported IS NOT NULL
            THEN 'only drops that the capturing system reports: '
                 || human_count(t.dropped_reported)
            ELSE 'no ACKs, no mirror sequence numbers and no drop counters are '
                 || 'in the capture' END AS why
  FROM tap t
  JOIN coverage c ON c.tap_id = t.id
