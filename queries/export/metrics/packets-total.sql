-- How many packets were analyzed, by kind?
--
-- column tap id  tap.id
-- column name text  its name
-- column kind text  roce cnp uet pfc pause lldp other
-- column value count  packets
SELECT t.id AS tap, t.name, k.value ->> 0 AS kind, k.value ->> 1 AS value
  FROM tap t, json_each(json_array(
         json_array('roce', t.packets_roce), json_array('cnp', t.packets_cnp),
         json_array('uet', t.packets_uet), json_array('pfc', t.packets_pfc),
         json_array('pause', t.packets_pause),
         json_array('lldp', t.packets_lldp),
         json_array('other', t.packets_other))) k
 ORDER BY t.id, k.key
