-- Can pauses (PFC, 802.3x) be seen here?
-- They end at the next device: an ordinary mirror does not copy them.  Where each
-- direction of a link has a tap of its own, both show the link.
--
-- into observability
WITH link AS (
  SELECT t.id, sum(u.packets_pfc) AS packets_pfc,
         sum(u.packets_pause) AS packets_pause,
         EXISTS (SELECT 1 FROM pause_sender
                  WHERE tap_id = t.id AND paused_ns IS NULL) AS timeless
    FROM tap t
    JOIN tap u ON u.id = t.id
               OR (u.id = t.half_of AND t.half_by IS NOT NULL)
   GROUP BY t.id)
SELECT t.id AS tap_id, 'pfc' AS what,
       CASE WHEN t.packets_pfc + t.packets_pause = 0 THEN 'no'
            WHEN timeless THEN 'partial' ELSE 'yes' END AS verdict,
       CASE WHEN t.packets_pfc + t.packets_pause = 0
            THEN 'a mirror port does not copy PFC: no PFC frame in the capture '
                 || 'does not mean none on the wire'
            WHEN timeless
            THEN 'pause frames are in the capture, but the link speed that '
                 || 'turns quanta into time is not known'
            ELSE plural(t.packets_pfc, 'PFC frame') || ' and '
                 || plural(t.packets_pause, 'pause frame')
                 || ' are in the capture' END AS why
  FROM link t
