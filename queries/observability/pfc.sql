-- Can pauses of single priorities (PFC) be seen here?
-- PFC ends at the next device: an ordinary mirror does not copy it.
SELECT id AS tap_id, 'pfc' AS what,
       CASE WHEN packets_pfc + packets_pause > 0 THEN 'yes' ELSE 'no' END
         AS verdict,
       CASE WHEN packets_pfc + packets_pause > 0
            THEN plural(packets_pfc, 'PFC frame') || ' and '
                 || plural(packets_pause, 'pause frame')
                 || ' are in the capture'
            ELSE 'an ordinary mirror does not copy PFC; that none is in the '
                 || 'capture does not mean that none was on the wire' END
         AS why
  FROM tap
