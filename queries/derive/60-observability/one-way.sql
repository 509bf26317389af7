-- Can the time from one capture point to another be measured?
-- Asked where there is more than one; that one tap cannot is said of latency.
--
-- into observability
WITH best AS (
  SELECT tap_id, min(error_ns) AS error_ns, max(tied) AS tied FROM (
    SELECT from_tap_id AS tap_id, delay_error_ns AS error_ns,
           queue_max_ns IS NOT NULL AS tied FROM segment WHERE packets > 0
    UNION ALL
    SELECT to_tap_id, delay_error_ns, queue_max_ns IS NOT NULL
      FROM segment WHERE packets > 0)
   GROUP BY tap_id)
SELECT t.id AS tap_id, 'one-way' AS what,
       CASE WHEN b.error_ns IS NOT NULL THEN 'yes'
            WHEN b.tied THEN 'partial' ELSE 'no' END AS verdict,
       CASE WHEN b.error_ns IS NOT NULL
            THEN 'packets are seen at another capture point too, and the '
                 || 'clocks agree within ' || human_ns(b.error_ns)
            WHEN b.tied
            THEN 'only the delay above the minimum: packets are seen at '
                 || 'another capture point too, but in one direction, so '
                 || 'that the clock offset is not bounded'
            WHEN b.tap_id IS NOT NULL
            THEN 'packets are seen at another capture point too, but the '
                 || 'clocks cannot be compared (too few packets; or all '
                 || 'came from one pipe, which is read once)'
            ELSE 'needs two taps on the path of the same packets; none of '
                 || 'these was seen at another capture point' END AS why
  FROM tap t /*scan*/
  LEFT JOIN best b ON b.tap_id = t.id
 WHERE t.packets_roce + t.packets_uet > 0
   AND (SELECT count(DISTINCT place) FROM tap) > 1
