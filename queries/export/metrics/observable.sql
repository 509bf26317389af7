-- What is observable at this capture point (1: yes, 0.5: in part, 0: no)?
-- Where it is 0, other metrics of it do not prove health.
--
-- column tap id  tap.id
-- column name text  its name
-- column what text  pfc, ack, ce, ...
-- column value share  how far
SELECT t.id AS tap, t.name, o.what,
       CASE o.verdict WHEN 'yes' THEN 1 WHEN 'partial' THEN 0.5 ELSE 0 END
         AS value
  FROM observability o JOIN tap t ON t.id = o.tap_id
 ORDER BY t.id, o.what
