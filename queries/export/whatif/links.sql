-- Which links does the topology file have?
--
-- column a text  one end
-- column b text  the other
-- column speed_bps rate  each way
SELECT a, b, speed_bps FROM link ORDER BY a, b
