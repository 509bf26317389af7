/* SPDX-License-Identifier: GPL-2.0-or-later
 * Giving up what is not needed.
 *
 * What the kernel does not have is said and done without: capturing on an old
 * kernel is better than not at all. */
#include "run/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/landlock.h>
#include <pwd.h>
#include <seccomp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void say(struct sandbox_report *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(struct sandbox_report *r, const char *format, ...)
{
	size_t n = strlen(r->text);
	va_list ap;

	va_start(ap, format);
	if (n)
		n += (size_t)snprintf(r->text + n, sizeof r->text - n, ", ");
	if (n < sizeof r->text)
		vsnprintf(r->text + n, sizeof r->text - n, format, ap);
	va_end(ap);
}

/* ---- who ---- */

int sandbox_user(const char *user, struct err *err)
{
	const struct passwd *pw = user ? getpwnam(user) : NULL;

	if (!user)
		return 0;
	if (!pw)
		return err_set(err, ERR_USAGE, "--user: no user \"%s\"", user);
	prctl(PR_SET_KEEPCAPS, 1);
	if (initgroups(pw->pw_name, pw->pw_gid) || setgid(pw->pw_gid) ||
	    setuid(pw->pw_uid))
		return err_errno(err, "cannot become %s", user);
	return 0;
}

/* ---- capabilities ---- */

static void keep_capabilities(const cap_value_t *keep, int n,
			      struct sandbox_report *r)
{
	cap_t caps = cap_init();
	bool ok = caps;

	for (cap_value_t c = 0; cap_get_bound(c) >= 0; c++) {
		bool kept = false;

		for (int i = 0; i < n; i++)
			kept |= keep[i] == c;
		if (!kept)
			cap_drop_bound(c);
	}
	if (n && ok) {
		cap_t had = cap_get_proc();

		/* only what there was */
		for (int i = 0; had && i < n; i++) {
			cap_flag_value_t has = CAP_CLEAR;

			cap_get_flag(had, keep[i], CAP_PERMITTED, &has);
			if (has == CAP_SET) {
				cap_set_flag(caps, CAP_PERMITTED, 1, &keep[i],
					     CAP_SET);
				cap_set_flag(caps, CAP_EFFECTIVE, 1, &keep[i],
					     CAP_SET);
			}
		}
		cap_free(had);
	}
	cap_reset_ambient();
	ok = ok && !cap_set_proc(caps);
	cap_free(caps);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		ok = false;
	if (!ok)
		say(r, "capabilities: %s", strerror(errno));
	else if (n)
		say(r, "capabilities: net_raw%s", n > 1 ? " net_admin" : "");
	else
		say(r, "capabilities: none");
}

/* ---- system calls ---- */

/* A sanitizer makes calls of its own. */
#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* What both need. */
static const char *const common_calls[] = {
	"read",
	"write",
	"readv",
	"writev",
	"pread64",
	"pwrite64",
	"lseek",
	"open",
	"openat",
	"close",
	"close_range",
	"fstat",
	"newfstatat",
	"stat",
	"lstat",
	"statx",
	"access",
	"faccessat",
	"faccessat2",
	"fcntl",
	"mmap",
	"munmap",
	"mremap",
	"mprotect",
	"madvise",
	"brk",
	"exit",
	"exit_group",
	"rt_sigaction",
	"rt_sigprocmask",
	"rt_sigreturn",
	"sigaltstack",
	"poll",
	"ppoll",
	"select",
	"pselect6",
	"clock_gettime",
	"clock_nanosleep",
	"nanosleep",
	"gettimeofday",
	"getpid",
	"gettid",
	"getppid",
	"getuid",
	"geteuid",
	"getgid",
	"getegid",
	"prctl",
	"futex",
	"set_robust_list",
	"get_robust_list",
	"rseq",
	"sched_yield",
	"sched_getaffinity",
	"getrandom",
	"uname",
	"sysinfo",
	"prlimit64",
	"getrlimit",
	"getrusage",
	"ioctl",
	"tgkill",
	"restart_syscall",
	"readlink",
	"readlinkat",
	"getdents64",
	"time",
	"arch_prctl",
	"membarrier",
	"fadvise64",
};

/* To open a packet socket, again when the interface comes back. */
static const char *const capture_calls[] = {
	"socket", "bind",     "getsockopt", "setsockopt", "getsockname",
	"sendto", "recvfrom", "recvmsg",    "sendmsg",    "connect",
	"dup",    "fstatfs",  "eventfd2",
};

/* To write a database and files, and to do it in children. */
static const char *const analysis_calls[] = {
	"clone",     "clone3",    "fork",
	"vfork",     "wait4",     "waitid",
	"kill",      "ftruncate", "fallocate",
	"fsync",     "fdatasync", "sync_file_range",
	"rename",    "renameat",  "renameat2",
	"unlink",    "unlinkat",  "mkdir",
	"mkdirat",   "chmod",     "fchmod",
	"fchown",    "fchownat",  "utimensat",
	"getcwd",    "umask",     "flock",
	"pipe2",     "dup",       "dup2",
	"dup3",      "eventfd2",  "set_tid_address",
	"setitimer", "statfs",    "fstatfs",
	"msync",
};

static void filter_calls(const char *const *more, size_t n,
			 struct sandbox_report *r)
{
	scmp_filter_ctx ctx;
	int rc;

	if (SANITIZED) {
		say(r, "seccomp: not with the sanitizers");
		return;
	}
	ctx = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	rc = ctx ? 0 : -ENOMEM;
	for (size_t i = 0; !rc && i < COUNT(common_calls) + n; i++) {
		const char *name = i < COUNT(common_calls)
					   ? common_calls[i]
					   : more[i - COUNT(common_calls)];
		int call = seccomp_syscall_resolve_name(name);

		if (call != __NR_SCMP_ERROR)
			rc = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, call, 0);
		/* one that this machine does not have */
		if (rc == -EDOM || rc == -EEXIST)
			rc = 0;
	}
	if (!rc)
		rc = seccomp_load(ctx);
	seccomp_release(ctx);
	if (rc)
		say(r, "seccomp: not in force (%s)", strerror(-rc));
	else
		say(r, "seccomp: in force");
}

/* ---- files ---- */

enum {
	READ_ACCESS =
		LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
	WRITE_ACCESS = LANDLOCK_ACCESS_FS_WRITE_FILE |
		       LANDLOCK_ACCESS_FS_REMOVE_FILE |
		       LANDLOCK_ACCESS_FS_MAKE_REG,
	OTHER_ACCESS =
		LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
		LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
		LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
		LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM,
};

static bool allow_below(int rules, const char *path, uint64_t access)
{
	struct landlock_path_beneath_attr rule = { .allowed_access = access };
	int rc = -1;

	rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (rule.parent_fd < 0)
		return false;
	rc = (int)syscall(SYS_landlock_add_rule, rules,
			  LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	close(rule.parent_fd);
	return !rc;
}

/* Reading goes on everywhere: terminal descriptions, time zones, queries. */
static void lock_files(const char *const *folders, size_t n,
		       struct sandbox_report *r)
{
	const struct landlock_ruleset_attr attr = {
		.handled_access_fs = READ_ACCESS | WRITE_ACCESS | OTHER_ACCESS,
	};
	int rules = (int)syscall(SYS_landlock_create_ruleset, &attr,
				 sizeof attr, 0);
	bool ok = rules >= 0;

	ok = ok && allow_below(rules, "/", READ_ACCESS);
	ok = ok && allow_below(rules, "/dev",
			       READ_ACCESS | LANDLOCK_ACCESS_FS_WRITE_FILE);
	for (size_t i = 0; ok && i < n; i++)
		ok = allow_below(rules, folders[i], READ_ACCESS | WRITE_ACCESS);
	ok = ok && !syscall(SYS_landlock_restrict_self, rules, 0);
	if (!ok)
		say(r, "landlock: not in force (%s)", strerror(errno));
	else
		say(r, "landlock: in force");
	if (rules >= 0)
		close(rules);
}

/* ---- the whole ---- */

void sandbox_reader(void)
{
	struct sandbox_report r = { "" };

	keep_capabilities(NULL, 0, &r);
}

void sandbox_capture(bool admin, struct sandbox_report *r)
{
	static const cap_value_t keep[] = { CAP_NET_RAW, CAP_NET_ADMIN };

	*r = (struct sandbox_report) { "" };
	keep_capabilities(keep, admin ? 2 : 1, r);
	lock_files(NULL, 0, r);
	filter_calls(capture_calls, COUNT(capture_calls), r);
}

void sandbox_analysis(const char *const *folders, size_t n,
		      struct sandbox_report *r)
{
	*r = (struct sandbox_report) { "" };
	keep_capabilities(NULL, 0, r);
	lock_files(folders, n, r);
	filter_calls(analysis_calls, COUNT(analysis_calls), r);
}
