-- What do ports advertise in LLDP, above all about PFC and ETS (DCBX)?
-- A row for each configuration that a port had.
--
-- param tap id NULL  only this tap
-- param limit count 1000  maximum number of rows
-- column first_ns time  first frame with it
-- column last_ns time  last
-- column tap_id id  tap.id
-- column source_mac text  the port
-- column system text  name of the device
-- column port text  port ID
-- column dcbx text  ieee (802.1Qaz), cee (before the standard)
-- column pfc text  priorities with PFC
-- column pfc_willing flag  1: willing, accepts the configuration of the other end
-- column ets_tc json  traffic class by priority
-- column ets_bandwidth json  percent by traffic class
-- column ets_selection json  by class: 0 strict, 1 shaper, 2 ETS, 255 vendor
-- column applications json  which protocol uses which priority
-- column uec text  TLVs of the UEC, hexadecimal
-- column frame id  the first frame
--
-- example fabscope query DB lldp
SELECT first_ns, last_ns, tap_id, source_mac, system, port, dcbx,
       CASE WHEN pfc_enabled IS NOT NULL THEN ifnull(
         (SELECT group_concat(value, ' ') FROM json_each('[0,1,2,3,4,5,6,7]')
           WHERE pfc_enabled >> value & 1), 'none') END AS pfc,
       pfc_willing, ets_tc, ets_bandwidth, ets_selection, applications, uec,
       frame
  FROM lldp /*scan*/
 WHERE :tap IS NULL OR tap_id = :tap
 ORDER BY first_ns, id
 LIMIT :limit
