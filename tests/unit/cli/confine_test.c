/* SPDX-License-Identifier: GPL-2.0-or-later
 * What each command may reach when it runs, tried in a process of its own that
 * was confined as that command is: the inputs it was given for reading, the
 * folder of its output for writing, and nothing else. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/landlock.h>

#include "cli/args.h"
#include "cli/command.h"
#include "cli/confine.h"

static char folder[] = "confine-XXXXXX";

static void put(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);

	if (fd >= 0)
		close(fd);
}

static int begin(void **state)
{
	(void)state;
	/* sorting happens in a folder that may be written to */
	if (!mkdtemp(folder) || chdir(folder) || mkdir("sort", 0700) ||
	    mkdir("in", 0700) || mkdir("out", 0700) || mkdir("other", 0700))
		return -1;
	put("in/a");
	put("in/b");
	put("in/t");
	put("other/file");
	return setenv("SQLITE_TMPDIR", "sort", 1);
}

static int end(void **state)
{
	static const char *const names[] = { "in/a", "in/b", "in/t",
					     "other/file" };
	static const char *const folders[] = { "sort", "in", "out", "other" };

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unlink(names[i]);
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		rmdir(folders[i]);
	return chdir("..") || rmdir(folder);
}

/* A command line, and what it may do beyond reading in/a. */
struct line {
	const char *words[12];
	bool reads_b, reads_t, writes_out, makes_here, reads_all, forks;
};

static const struct line lines[] = {
	{ { "analyze", "in/a", "in/b", "-o", "out/x" },
	  .reads_b = true,
	  .writes_out = true },
	{ { "analyze", "--tap", "leaf=in/a", "--topology", "in/t" },
	  .reads_t = true,
	  .makes_here = true,
	  .writes_out = true }, /* below here */
	{ { "analyze", "in/a", "--job-log", "10.0.0.1=in/t", "-o", "out/x" },
	  .reads_t = true,
	  .writes_out = true },
	{ { "decode", "in/a", "in/b" }, .reads_b = true },
	{ { "annotate", "in/a", "-w", "out/x" }, .writes_out = true },
	{ { "slice", "in/a", "finding:1", "-w", "out/x" },
	  .writes_out = true,
	  .reads_b = true,
	  .reads_t = true,
	  .reads_all = true },
	{ { "whatif", "in/a", "--set", "lb=spray", "-w", "out/x" },
	  .writes_out = true },
	{ { "plot", "in/a", "flow:1", "-o", "out/x" },
	  .writes_out = true,
	  .reads_b = true,
	  .reads_t = true,
	  .reads_all = true },
	{ { "campaign", "in/a", "-o", "out/x" },
	  .writes_out = true,
	  .reads_b = true,
	  .reads_t = true,
	  .reads_all = true },
	{ { "plan", "in/a", "--topology", "in/t", "-w", "out/x", "--slurm",
	    "out/y" },
	  .reads_t = true,
	  .writes_out = true },
	{ { "plan", "in/a", "in/b", "-w", "out/x", "--local", "1", "-o",
	    "out/y" },
	  .reads_b = true,
	  .writes_out = true,
	  .forks = true },
	/* what a plan names, and what is beside the plan */
	{ { "partial", "plan", "0" },
	  .makes_here = true,
	  .writes_out = true,
	  .reads_all = true },
	{ { "merge", "plan" },
	  .makes_here = true,
	  .writes_out = true,
	  .reads_all = true },
	{ { "query", "in/a", "findings" }, .reads_b = false },
	{ { "query", "in/a", "in/t" }, .reads_t = true },
	{ { "report", "in/a", "-o", "out/x" }, .writes_out = true },
	{ { "report", "in/a", "-o", "out/x", "--plot", "flow:1" },
	  .writes_out = true,
	  .reads_b = true,
	  .reads_t = true,
	  .reads_all = true },
	{ { "diff", "in/a", "in/b" }, .reads_b = true },
	{ { "export", "in/a", "--format", "csv", "-o", "out" },
	  .writes_out = true },
	{ { "judge", "in/a", "-o", "out/x" }, .writes_out = true },
	{ { "import", "in/a", "in/b", "h=in/t", "-o", "out/x" },
	  .reads_b = true,
	  .reads_t = true,
	  .writes_out = true },
	{ { "kpi", "in/a" }, .reads_b = false },
	/* what the database names; a person says what is kept */
	{ { "tui", "in/a" },
	  .makes_here = true,
	  .writes_out = true,
	  .reads_all = true },
	{ { "jct", "in/a" }, .reads_b = false },
};

enum { LINES = sizeof lines / sizeof *lines };

static bool opens(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool makes(const char *path)
{
	bool made = opens(path, O_WRONLY | O_CREAT | O_EXCL);

	unlink(path);
	return made;
}

static void told(char *wrong, const char *what, bool right)
{
	if (!right)
		strcat(strcat(wrong, " "), what);
}

static void look(const struct line *l, char wrong[256])
{
	told(wrong, "reads in/a", opens("in/a", O_RDONLY));
	told(wrong, "writes in/a", opens("in/a", O_WRONLY) == l->makes_here);
	told(wrong, "reads in/b",
	     opens("in/b", O_RDONLY) == (l->reads_b || l->makes_here));
	told(wrong, "reads in/t",
	     opens("in/t", O_RDONLY) == (l->reads_t || l->makes_here));
	told(wrong, "makes in/x", makes("in/x") == l->makes_here);
	told(wrong, "makes out/x", makes("out/x") == l->writes_out);
	told(wrong, "makes here", makes("x") == l->makes_here);
	told(wrong, "reads /etc",
	     opens("/etc/passwd", O_RDONLY) == l->reads_all);
	told(wrong, "other", !opens("other/file", O_WRONLY) || l->makes_here);
	told(wrong, "sorts", makes("sort/x"));
}

static bool forks(void)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	return child > 0 ? waitpid(child, NULL, 0) == child : errno != EPERM;
}

static bool has_landlock(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0,
		       LANDLOCK_CREATE_RULESET_VERSION) > 0;
}

static int status_of(const char *name)
{
	char line[128];
	size_t n = strlen(name);
	int value = -1;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && value < 0 && fgets(line, sizeof line, f))
		if (!strncmp(line, name, n))
			value = (int)strtol(line + n, NULL, 16);
	if (f)
		fclose(f);
	return value;
}

static void try_line(const struct line *l, char wrong[256])
{
	struct err err = { 0 };
	char *words[12];
	struct args a;
	int n = 0;

	for (; l->words[n]; n++)
		words[n] = strdup(l->words[n]);
	told(wrong, "usage",
	     !args_parse(&a, command_find(l->words[0]), n - 1, words + 1,
			 &err));
	confine(&a);
	args_fini(&a);
	if (has_landlock())
		look(l, wrong);
	told(wrong, "capabilities", !status_of("CapEff:"));
	told(wrong, "privileges", status_of("NoNewPrivs:") == 1);
	if (status_of("Seccomp:") == 2) {
		told(wrong, "socket", socket(AF_INET, SOCK_STREAM, 0) < 0);
		told(wrong, "exec",
		     execl("/bin/true", "true", NULL) < 0 && errno == EPERM);
		told(wrong, "fork", forks() == l->forks);
	}
}

static void one(void **state)
{
	char wrong[256] = "";
	int ends[2], status;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		try_line(*state, wrong);
		_exit(write(ends[1], wrong, sizeof wrong) != sizeof wrong);
	}
	assert_int_equal(read(ends[0], wrong, sizeof wrong), sizeof wrong);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_string_equal(wrong, "");
	close(ends[0]);
	close(ends[1]);
}

/* A new command that reads what others wrote says how it is confined. */
static void all_are_tried(void **state)
{
	(void)state;
	for (size_t c = 0; commands[c]; c++) {
		bool tried = commands[c]->confine == CONFINE_NOT;

		for (size_t i = 0; i < LINES; i++)
			tried |= !strcmp(lines[i].words[0], commands[c]->name);
		if (!tried)
			fail_msg("%s", commands[c]->name);
	}
}

int main(void)
{
	struct CMUnitTest tests[LINES + 1];

	for (size_t i = 0; i < LINES; i++)
		tests[i] = (struct CMUnitTest) { lines[i].words[0], one, NULL,
						 NULL,
						 (void *)(uintptr_t)&lines[i] };
	tests[LINES] = (struct CMUnitTest) { "all are tried", all_are_tried,
					     NULL, NULL, NULL };
	return cmocka_run_group_tests(tests, begin, end);
}
