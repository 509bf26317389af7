-- When did what the evidence of a finding shows begin and end?
-- A recovery from the loss to the last copy, an event at its moment.
--
-- param id id required  finding.id
-- column from_ns time  begin
-- column to_ns time  end
WITH shown AS (
  SELECT j.value ->> 'tap' AS tap_id, j.value ->> 'frame' AS frame
    FROM finding n, json_each(n.evidence, '$.frames') j
   WHERE n.id = :id
)
SELECT r.first_ns AS from_ns, r.last_ns AS to_ns
  FROM shown s
  JOIN recovery r /*scan*/
    ON r.tap_id = s.tap_id
   AND s.frame IN (r.frame_detect, r.frame_first, r.frame_last)
 UNION
SELECT e.ns, e.ns
  FROM finding n, json_each(n.evidence, '$.events') j
  JOIN event e ON e.id = j.value
 WHERE n.id = :id
