/* SPDX-License-Identifier: GPL-2.0-or-later
 * Scenario lines: units, and what is said of bad ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simulate/line.h"
#include "simulate/scenario.h"
#include "simulate/world.h"

static void times(void **state)
{
	int64_t ps;

	(void)state;
	assert_true(parse_time("0", &ps) && ps == 0);
	assert_true(parse_time("7ns", &ps) && ps == 7000);
	assert_true(parse_time("2.5us", &ps) && ps == 2500000);
	assert_true(parse_time("1s", &ps) && ps == PS_PER_S);
	assert_false(parse_time("5", &ps));
	assert_false(parse_time("5 us", &ps));
	assert_false(parse_time("-5us", &ps));
	assert_false(parse_time("1e30s", &ps));
	assert_false(parse_time("", &ps));
	assert_false(parse_time("us", &ps));
}

static void sizes_and_rates(void **state)
{
	uint64_t n;

	(void)state;
	assert_true(parse_size("64K", &n) && n == 65536);
	assert_true(parse_size("100", &n) && n == 100);
	assert_false(parse_size("64k", &n));
	assert_true(parse_rate("400G", &n) && n == 400000000000);
	assert_true(parse_rate("1.6T", &n) && n == 1600000000000);
	assert_false(parse_rate("fast", &n));
	assert_true(parse_count("0xffffff", &n) && n == 0xffffff);
	assert_false(parse_count("12x", &n));
	assert_false(parse_count("-1", &n));
}

/* What scenario_read() says of |text|; "" when it is content. */
static const char *said(const char *text)
{
	static struct err err;
	char name[] = "line_test-XXXXXX";
	int fd = mkstemp(name);
	struct sim s;
	int rc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	memset(&err, 0, sizeof err);
	sim_init(&s, 1, &err);
	rc = scenario_read(&s, name, &err);
	sim_fini(&s);
	unlink(name);
	assert_int_equal(rc, err.text[0] ? -1 : 0);
	return err.text[0] ? strchr(err.text, ':') : "";
}

#define HOSTS "host a b\nlink a b\n"

static void good_ones_are_read(void **state)
{
	(void)state;
	assert_string_equal(said(HOSTS "tap t a->b\n"), "");
	assert_string_equal(
		said("# nothing\n\ntitle x = y\n" HOSTS "tap t a->b # here\n"),
		"");
}

static const struct {
	const char *text, *says;
} bad_ones[] = {
	{ "host a\nhost a\n", ":2: 'a' exists already" },
	{ "frobnicate x\n", ":1: 'frobnicate' is no word of a "
			    "scenario" },
	{ "host a b\nlink a c\n", ":2: there is no 'c'" },
	{ "host a b\nlink a b speed=0\n",
	  ":2: speed=0 is not a rate like 25G or 400G" },
	{ "host a b\nlink a b colour=red\n",
	  ":2: 'colour=red' means nothing to 'link'" },
	{ HOSTS "qp q a b mtu=1500\n",
	  ":3: mtu is 256, 512, 1024, 2048 or 4096" },
	{ HOSTS "qp q a b psn=0x1000000:0\n",
	  ":3: psn=A:B wants two numbers below 2^24" },
	{ HOSTS "qp q a b\nflow f qp=r\n", ":4: there is no qp 'r'" },
	{ HOSTS "qp q a b service=ud\nflow f qp=q op=write\n",
	  ":4: UD can only send" },
	{ HOSTS "qp q a b\nflow f qp=q op=\n", ":4: op= names nothing to do" },
	{ HOSTS "fault a->b drop\n", ":3: when? at=, every= or chance=" },
	{ HOSTS "fault b-a drop every=2\n",
	  ":3: 'b-a' is no direction like h1->leaf1" },
	{ HOSTS "tap t a->b wrap=paper\n",
	  ":3: wrap=paper is none of: none, erspan2, erspan3, vxlan" },
	{ "switch s lossless=3\n",
	  ":1: lossless needs xoff=, xon= and headroom=" },
	{ HOSTS "collective c ranks=a\n",
	  ":3: ranks= names at least two hosts" },
	{ "host\n", ":1: a name is missing" },
	{ "leafspine pods=2\n", ":1: pods need supers=, and no rails=" },
	{ "leafspine leaves=0\n",
	  ":1: leaves=, hosts= and pods= must not be 0" },
	{ "leafspine leaves=257\n", ":1: leaves=257 is more than 256" },
	{ HOSTS "change a kmin=1\n", ":3: 'a' is not a switch" },
	{ HOSTS "port a->b dscp=99\n", ":3: dscp=99 is more than 63" },
	{ HOSTS "port a->b cbfc=1\n",
	  ":3: cbfc: below 2^19 credits of 32 to 2048 bytes, at "
	  "least 8 KiB of them" },
	{ HOSTS "port a->b#1 ecn=no\n", ":3: there is no link 'a->b#1'" },
	{ HOSTS "qp q a..b b\n",
	  ":3: 'a..b' is not a range of names like h1..h8" },
	{ HOSTS "qp q a b service=rud cm=yes\n",
	  ":3: cm= and dcqcn= are not for UET" },
	{ HOSTS "qp q a b service=rudi cc=nscc\n",
	  ":3: cc= is for rud and rod" },
	{ HOSTS "qp q a b service=rudi\nflow f qp=q op=read\n",
	  ":4: rudi and uud only send and write" },
	{ HOSTS "qp q a b service=rud evs=0\n", ":3: evs= must not be 0" },
	/* no value is cut to fit */
	{ HOSTS "qp q a b prio=259\n", ":3: prio=259 is more than 7" },
	{ HOSTS "qp q a b mtu=4294968320\n", ":3: mtu= is below 4G" },
	{ HOSTS "fault a->b drop chance=2\n",
	  ":3: chance=2 is not from 0 to 1" },
	{ HOSTS "tap t a->b drift=1e300\n",
	  ":3: drift=1e300 is not from -100000 to 100000" },
	{ "run for=999h\n", ":1: for=999h is not a time up to 200h" },
	{ "run for=0\n", ":1: for= and bin= must not be 0" },
	/* nothing is there twice */
	{ HOSTS "qp q a b mtu=1024 mtu=2048\n",
	  ":3: 'mtu=2048' is said again to 'qp'" },
	{ HOSTS "qp q a b mtu=1024 mtuu=2048\n",
	  ":3: 'mtuu=2048' means nothing to 'qp'" },
	{ HOSTS "qp q a a\n", ":3: both ends are 'a'" },
	{ HOSTS "qp q a b count=300\nqp q.300 a b\n",
	  ":4: 'q.300' exists already" },
	{ HOSTS "qp q a b qpn=5:6\nqp r b a qpn=7:5\n",
	  ":4: a QP number is taken" },
	{ HOSTS "qp q a b\nflow f qp=q\nflow f qp=q\n",
	  ":5: 'f' exists already" },
	{ HOSTS "collective c ranks=a,b,a\n", ":3: 'a' is two ranks" },
	{ HOSTS "collective c ranks=a,b late_rank=2\n",
	  ":3: late_rank=2 is more than 1" },
	{ HOSTS "tap t a->b#0x ecn=no\n",
	  ":3: 'a->b#0x' is no direction like h1->leaf1" },
	{ HOSTS "fault a->b drop every=2 from=2us to=1us\n",
	  ":3: to= is not after from=" },
	{ "switch s trim=8\n",
	  ":1: trim keeps 24 to 1024 bytes of IP payload" },
	{ "", ": no hosts" },
	{ HOSTS, ": no taps" },
};

static void bad_ones_are_named_with_line_and_reason(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof bad_ones / sizeof *bad_ones; i++)
		assert_string_equal(said(bad_ones[i].text), bad_ones[i].says);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times),
		cmocka_unit_test(sizes_and_rates),
		cmocka_unit_test(good_ones_are_read),
		cmocka_unit_test(bad_ones_are_named_with_line_and_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
