-- Can the load of parallel links be compared?
-- Only said where several links are captured or listed.
--
-- into observability
SELECT m.tap_id, 'balance' AS what,
       CASE WHEN max(b.whole) THEN 'yes' ELSE 'partial' END AS verdict,
       CASE WHEN max(b.whole)
            THEN 'all links of ' || max(g.name) || ' are captured'
            ELSE max(g.name) || ': ' || max(b.why) END AS why
  FROM link_member m
  JOIN link_group g ON g.id = m.group_id
  JOIN balance b ON b.group_id = m.group_id
 WHERE m.tap_id IS NOT NULL
 GROUP BY m.tap_id
