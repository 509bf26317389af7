/* SPDX-License-Identifier: GPL-2.0-or-later
 * What each word of a scenario builds.  The first word is read already. */
#ifndef FABSCOPE_SIMULATE_BUILD_H
#define FABSCOPE_SIMULATE_BUILD_H

#include <stdbool.h>

/* The most that headers, and clocks, have room for. */
enum { PRIO_MOST = 7, DSCP_MOST = 63, VLAN_MOST = 4094 };
#define DRIFT_MOST 1e5 /* ppm */

struct err;
struct host;
struct line;
struct node;
struct port;
struct sim;

/* build_fabric.c */
void build_run(struct sim *s, struct line *l);
void build_switches(struct sim *s, struct line *l);
void build_nics(struct sim *s, struct line *l);
void build_dcqcn(struct sim *s, struct line *l);
void build_host(struct sim *s, struct line *l);
void build_switch(struct sim *s, struct line *l);
void build_change(struct sim *s, struct line *l);
void build_nic(struct sim *s, struct line *l);
void build_one_host(struct sim *s, struct line *l, const char *name);
void build_one_switch(struct sim *s, struct line *l, const char *name);

/* build_clos.c */
void build_link(struct sim *s, struct line *l);
void build_leafspine(struct sim *s, struct line *l);
void build_route(struct sim *s, struct line *l);
struct node *build_known(struct sim *s, struct line *l, const char *name);

/* build_shapes.c */
void build_torus(struct sim *s, struct line *l);
void build_dragonfly(struct sim *s, struct line *l);

/* build_traffic.c */
enum { ROW_HOSTS = 256 };
struct host_row {
	struct host *host[ROW_HOSTS];
	unsigned n;
};
/* Adds "h1", or all of "h1..h8", to |row|; they must have a link. */
void build_hosts(struct sim *s, struct line *l, const char *word,
		 struct host_row *row);
void build_qp(struct sim *s, struct line *l);
void build_flow(struct sim *s, struct line *l);
void build_collective(struct sim *s, struct line *l);
void build_close(struct sim *s, struct line *l);
void build_replay(struct sim *s, struct line *l);
void build_send(struct sim *s, struct line *l);

/* build_problem.c */
void build_problem(struct sim *s, struct line *l);
/* All that problems name is there, now that the scenario has been read. */
int build_check_problems(const struct sim *s, const char *path,
			 struct err *err);

/* build_link.c: what happens on links, and who watches */
/* "a->b" or, of parallel links, "a->b#n": the port that transmits, or NULL;
 * |*is_one| says whether |text| is of that form at all. */
struct port *build_direction(const struct sim *s, const char *text,
			     bool *is_one);
void build_fault(struct sim *s, struct line *l);
void build_down(struct sim *s, struct line *l);
void build_port(struct sim *s, struct line *l);
void build_tap(struct sim *s, struct line *l);

#endif
