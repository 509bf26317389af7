-- What are switches configured to, by --evidence?
--
-- column name word  ecn_min ecn_max xon xoff headroom
-- column least bytes  smallest value
-- column most bytes  largest
SELECT name, min(value) AS least, max(value) AS most
  FROM setting
 WHERE name IN ('ecn_min', 'ecn_max', 'xon', 'xoff', 'headroom') AND value > 0
 GROUP BY name
 ORDER BY name
