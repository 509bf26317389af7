/* SPDX-License-Identifier: GPL-2.0-or-later
 * The few bytes that a rank got before it went on, by hand. */
#include "phase/path_int.h"
#include "ring.h"

enum { DATA, WORD, OTHER, FLOWS, WORDS = 3, HERE = 0, THERE = 1 };

/* Host 0 sent to host 1 by 900 us, and goes on at 1,000 us.  On two queue pairs
 * host 1 sends it small messages: there at 995 us, if not said otherwise. */
struct talk {
	struct phase_activity data[2], word[WORDS], other[WORDS];
	struct phase_flow flows[FLOWS];
	struct phase_input in;
	struct rank ranks[2];
	uint32_t rank_of[2], to_here[2];
	uint64_t small[FLOWS];
	struct job job;
	struct path path;
};

static struct phase_activity message(int64_t us, uint64_t bytes)
{
	return (struct phase_activity) { .from = (us - 2) * US,
					 .sent = (us - 2) * US,
					 .came = us * US,
					 .there = us * US,
					 .arrived = us * US,
					 .over = us * US,
					 .bytes = bytes,
					 .psns = 1 };
}

static void talk(struct talk *t)
{
	memset(t, 0, sizeof *t);
	t->data[0] = message(902, CHUNK);
	t->data[0].asked = 901 * US; /* with nothing that is data */
	t->data[1] = message(1002, CHUNK);
	t->word[0] = message(995, 64);
	t->flows[DATA] = (struct phase_flow) {
		.src = HERE, .dst = THERE, .a = t->data, .n = 2
	};
	t->flows[WORD] = (struct phase_flow) {
		.src = THERE, .dst = HERE, .a = t->word, .n = 1
	};
	t->flows[OTHER] = (struct phase_flow) {
		.src = THERE, .dst = HERE, .a = t->other, .n = 0
	};
	t->in = (struct phase_input) { .flows = t->flows, .n_flows = FLOWS };
	t->to_here[0] = WORD;
	t->to_here[1] = OTHER;
	t->rank_of[THERE] = 1;
	t->ranks[0] = (struct rank) { .in = t->to_here, .n_in = 2 };
	for (int f = 0; f < FLOWS; f++)
		t->small[f] = 512;
	t->job = (struct job) { .in = &t->in,
				.ranks = t->ranks,
				.n_ranks = 2,
				.rank_of = t->rank_of };
	t->path.j = &t->job;
	t->path.facts.j = &t->job;
	t->path.facts.small = t->small;
	t->path.answers = 10 * US;
}

/* When what host 0 had waited for since |since| was there, in us; 0: nothing.
 * */
static int64_t waited_for(const struct talk *t, int64_t since)
{
	struct event said;

	if (!path_got_word(&t->path, DATA, 1, since * US, &said))
		return 0;
	return said.ns / US;
}

static void the_last_word_is_waited_for(void **state)
{
	struct talk t;

	(void)state;
	talk(&t);
	assert_int_equal(waited_for(&t, 900), 995);
	t.other[0] = message(997, 64);
	t.flows[OTHER].n = 1;
	assert_int_equal(waited_for(&t, 900), 997);
	/* what comes later says nothing */
	t.other[0] = message(1001, 64);
	assert_int_equal(waited_for(&t, 900), 995);
	t.word[1] = message(1001, 64);
	t.flows[WORD].n = 2;
	assert_int_equal(waited_for(&t, 900), 995);
}

static void not_what_was_there_long_before(void **state)
{
	struct talk t;

	(void)state;
	talk(&t);
	assert_int_equal(waited_for(&t, 995), 0);
	/* hosts answer within 10 us, and it goes on at 1,000 */
	t.word[0] = message(990, 64);
	assert_int_equal(waited_for(&t, 900), 990);
	t.word[0] = message(989, 64);
	assert_int_equal(waited_for(&t, 900), 0);
}

static void data_is_no_word(void **state)
{
	struct talk t;

	(void)state;
	talk(&t);
	t.word[0] = message(995, 4096);
	assert_int_equal(waited_for(&t, 900), 0);
	/* nor does a word that came before it count */
	t.word[0] = message(993, 64);
	t.word[1] = message(995, 4096);
	t.flows[WORD].n = 2;
	assert_int_equal(waited_for(&t, 900), 0);
	/* who is small is word itself; who is asked for waits for that */
	talk(&t);
	t.data[1].bytes = 64;
	assert_int_equal(waited_for(&t, 900), 0);
	talk(&t);
	t.flows[DATA].driven = true;
	assert_int_equal(waited_for(&t, 900), 0);
	/* nobody else gives it */
	talk(&t);
	t.flows[WORD].src = HERE;
	assert_int_equal(waited_for(&t, 900), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_word_is_waited_for),
		cmocka_unit_test(not_what_was_there_long_before),
		cmocka_unit_test(data_is_no_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
