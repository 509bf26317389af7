-- Which frames are the evidence of a finding?
-- One row without a frame for a finding that names none.
--
-- param id id required  finding.id
-- column title text  of the finding
-- column tap_id id  tap.id
-- column frame count  frame number in the file of the tap
SELECT n.title, e.value ->> 'tap' AS tap_id, e.value ->> 'frame' AS frame
  FROM finding n
  LEFT JOIN json_each(n.evidence, '$.frames') e
 WHERE n.id = :id
