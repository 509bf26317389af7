-- The tables that only 40 to 62 need.
DROP TABLE temp.attribution;
DROP TABLE temp.phase_link;
DROP TABLE temp.host_server;
DROP TABLE temp.phase_flow_asks;
DROP TABLE temp.phase_flow_cts;
