-- Is reordering observable here?
--
-- into observability
SELECT tap_id, 'reordering' AS what,
       CASE WHEN ifnull(packets, 0) = 0 THEN 'no' ELSE 'partial' END
         AS verdict,
       CASE WHEN ifnull(packets, 0) = 0 THEN 'there is no packet of a flow'
            ELSE 'upstream reordering is seen; downstream only by the NAKs of '
                 || 'receivers, where it looks like loss'
            END AS why
  FROM coverage
