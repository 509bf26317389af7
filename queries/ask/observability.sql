-- What is and what is not observable at each capture point?
--
-- param tap id NULL  only this tap
-- param verdict text NULL  only yes, partial or no
-- column tap_id id  tap.id
-- column tap text  its name
-- column what word  the thing to be seen
-- column verdict text  yes, partial, no
-- column why text  the reason
--
-- example fabscope query DB observability --param verdict=no
SELECT o.tap_id, t.name AS tap, o.what, o.verdict, o.why
  FROM observability o
  LEFT JOIN tap t ON t.id = o.tap_id
 WHERE (:tap IS NULL OR o.tap_id = :tap)
   AND (:verdict IS NULL OR o.verdict = :verdict)
 ORDER BY o.tap_id, o.what
