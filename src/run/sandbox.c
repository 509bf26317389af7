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
#include <linux/securebits.h>
#include <pwd.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void say(struct sandbox_report *r, const char *what, const char *how)
{
	size_t n = strlen(r->text);

	snprintf(r->text + n, sizeof r->text - n, "%s%s: %s", n ? ", " : "",
		 what, how);
}

static void lack(struct sandbox_report *r, const char *what, int why)
{
	char how[128];

	snprintf(how, sizeof how, "not in force (%s)", strerror(why));
	say(r, what, how);
	r->lacking = true;
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

int sandbox_nobody(struct err *err)
{
	enum { OVERFLOW_ID = 65534 }; /* the kernel's own for no user */
	const struct passwd *pw;

	if (geteuid())
		return 0;
	pw = getpwnam("nobody");
	/* access(2) shall see what is kept: SQLite asks it */
	prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP);
	if (setgroups(0, NULL) || setgid(pw ? pw->pw_gid : OVERFLOW_ID) ||
	    setuid(pw ? pw->pw_uid : OVERFLOW_ID))
		return err_errno(err, "cannot become nobody");
	return 0;
}

/* ---- what it is to reach ---- */

void sandbox_allow(struct sandbox *s, const char *path, enum sandbox_access how)
{
	struct sandbox_path *more =
		reallocarray(s->paths, s->n_paths + 1, sizeof *more);

	if (!more)
		return; /* it is refused then */
	s->paths = more;
	more[s->n_paths].path = strdup(path);
	more[s->n_paths].how = how;
	s->n_paths += more[s->n_paths].path != NULL;
}

void sandbox_fini(struct sandbox *s)
{
	for (size_t i = 0; i < s->n_paths; i++)
		free(s->paths[i].path);
	free(s->paths);
	*s = (struct sandbox) { 0 };
}

/* ---- capabilities ---- */

struct keep {
	cap_value_t cap;
	const char *name;
};

/* Does the effective user reach all of |s| for |how|? */
static bool reaches(const struct sandbox *s, enum sandbox_access how)
{
	const int mode = how == SANDBOX_WRITES ? R_OK | W_OK : R_OK;

	for (size_t i = 0; i < s->n_paths; i++)
		if (s->paths[i].how == how &&
		    faccessat(AT_FDCWD, s->paths[i].path, mode, AT_EACCESS) &&
		    errno == EACCES)
			return false;
	return true;
}

/* Root may be asked to work on files of others; it keeps the right to that
 * when it cannot do without. */
static size_t to_keep(const struct sandbox *s, struct keep keep[4])
{
	cap_t none = cap_init(), had = cap_get_proc();
	size_t n = 0;

	if (had && none) {
		cap_t idle = cap_dup(had);

		cap_clear_flag(idle, CAP_EFFECTIVE);
		cap_set_proc(idle);
		cap_free(idle);
	}
	if (!reaches(s, SANDBOX_WRITES))
		keep[n++] = (struct keep) { CAP_DAC_OVERRIDE, "dac_override" };
	else if (!reaches(s, SANDBOX_READS))
		keep[n++] = (struct keep) { CAP_DAC_READ_SEARCH,
					    "dac_read_search" };
	if (had)
		cap_set_proc(had);
	cap_free(none);
	cap_free(had);
	if (s->needs & SANDBOX_CAPTURE)
		keep[n++] = (struct keep) { CAP_NET_RAW, "net_raw" };
	if (s->needs & SANDBOX_ADMIN)
		keep[n++] = (struct keep) { CAP_NET_ADMIN, "net_admin" };
	return n;
}

static void drop_bounding(const struct keep *keep, size_t n)
{
	for (cap_value_t c = 0; cap_get_bound(c) >= 0; c++) {
		bool kept = false;

		for (size_t i = 0; i < n; i++)
			kept |= keep[i].cap == c;
		if (!kept)
			cap_drop_bound(c);
	}
}

/* Of |keep| those that there are. */
static void keep_capabilities(const struct sandbox *s, struct sandbox_report *r)
{
	struct keep keep[4];
	size_t n = to_keep(s, keep);
	cap_t caps = cap_init(), had = cap_get_proc();
	bool ok = caps && had;
	char names[64] = "";

	drop_bounding(keep, n);
	for (size_t i = 0; ok && i < n; i++) {
		cap_flag_value_t has = CAP_CLEAR;

		cap_get_flag(had, keep[i].cap, CAP_PERMITTED, &has);
		if (has != CAP_SET)
			continue;
		cap_set_flag(caps, CAP_PERMITTED, 1, &keep[i].cap, CAP_SET);
		cap_set_flag(caps, CAP_EFFECTIVE, 1, &keep[i].cap, CAP_SET);
		strcat(strcat(names, " "), keep[i].name);
	}
	cap_reset_ambient();
	ok = ok && !cap_set_proc(caps);
	ok = !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && ok;
	cap_free(had);
	cap_free(caps);
	if (!ok)
		lack(r, "capabilities", errno);
	else
		say(r, "capabilities", *names ? names + 1 : "none");
}

/* ---- system calls ---- */

/* A sanitizer makes calls of its own. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* What all need. */
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
	"wait4",
	"getcwd",
	"dup",
	"pause",
	"set_tid_address",
	"eventfd2",
	"fstatfs",
};

/* To open a packet socket, again when the interface comes back. */
static const char *const capture_calls[] = {
	"socket", "bind",     "getsockopt", "setsockopt", "getsockname",
	"sendto", "recvfrom", "recvmsg",    "sendmsg",    "connect",
};

/* To write a database and files. */
static const char *const file_calls[] = {
	"ftruncate", "fallocate", "fsync",     "fdatasync", "sync_file_range",
	"rename",    "renameat",  "renameat2", "unlink",    "unlinkat",
	"mkdir",     "mkdirat",   "chmod",     "fchmod",    "fchown",
	"fchownat",  "utimensat", "umask",     "flock",     "pipe2",
	"dup2",      "dup3",      "setitimer", "statfs",    "msync",
};

/* To do it in children. */
static const char *const process_calls[] = {
	"clone", "clone3", "fork", "vfork", "wait4", "waitid", "kill",
};

/* Names of hosts and services, in a filter. */
static const char *const resolve_calls[] = {
	"socket",     "connect",     "bind",       "sendto",
	"recvfrom",   "recvmsg",     "sendmsg",    "sendmmsg",
	"getsockopt", "getsockname", "setsockopt", "getpeername",
};

/* Whoever connects to a socket that is open. */
static const char *const serve_calls[] = {
	"accept",     "accept4",     "epoll_create1", "epoll_ctl",
	"epoll_wait", "epoll_pwait", "recvfrom",      "recvmsg",
	"sendto",     "sendmsg",     "sendfile",      "shutdown",
	"getsockopt", "setsockopt",  "getsockname",   "getpeername",
};

static const struct {
	unsigned need;
	const char *const *names;
	size_t n;
} call_lists[] = {
	{ 0, common_calls, COUNT(common_calls) },
	{ SANDBOX_FILES, file_calls, COUNT(file_calls) },
	{ SANDBOX_PROCESSES, process_calls, COUNT(process_calls) },
	{ SANDBOX_CAPTURE, capture_calls, COUNT(capture_calls) },
	{ SANDBOX_RESOLVE, resolve_calls, COUNT(resolve_calls) },
	{ SANDBOX_SERVE, serve_calls, COUNT(serve_calls) },
};

static int allow_call(scmp_filter_ctx ctx, const char *name)
{
	int call = seccomp_syscall_resolve_name(name), rc = 0;

	if (call != __NR_SCMP_ERROR)
		rc = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, call, 0);
	/* one that this machine does not have, or that is there already */
	return rc == -EDOM || rc == -EEXIST ? 0 : rc;
}

/* Threads, and the question whether a process lives: not processes.  The C
 * library falls back to clone(2), whose flags can be seen. */
static int allow_threads(scmp_filter_ctx ctx)
{
	int rc = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3),
				  0);

	if (!rc)
		rc = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
				      SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD,
					      CLONE_THREAD));
	if (!rc)
		rc = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(kill), 1,
				      SCMP_A1(SCMP_CMP_EQ, 0, 0));
	return rc;
}

static int fill(scmp_filter_ctx ctx, unsigned needs)
{
	int rc = 0;

	/* decided by halving the list, and without slowing memory down */
	seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	seccomp_attr_set(ctx, SCMP_FLTATR_CTL_SSB, 1);
	for (size_t k = 0; k < COUNT(call_lists); k++) {
		if (call_lists[k].need && !(needs & call_lists[k].need))
			continue;
		for (size_t i = 0; !rc && i < call_lists[k].n; i++)
			rc = allow_call(ctx, call_lists[k].names[i]);
	}
	return rc || needs & SANDBOX_PROCESSES ? rc : allow_threads(ctx);
}

static void filter_calls(unsigned needs, struct sandbox_report *r)
{
	scmp_filter_ctx ctx;
	int rc;

	if (SANITIZED) {
		say(r, "seccomp", "not with the sanitizers");
		return;
	}
	ctx = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	rc = ctx ? fill(ctx, needs) : -ENOMEM;
	if (!rc)
		rc = seccomp_load(ctx);
	seccomp_release(ctx);
	if (rc)
		lack(r, "seccomp", -rc);
	else
		say(r, "seccomp", "in force");
}

/* ---- files ---- */

enum {
	READ_FILE = LANDLOCK_ACCESS_FS_READ_FILE,
	READ_ACCESS = READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
	WRITE_FILE = LANDLOCK_ACCESS_FS_WRITE_FILE,
	WRITE_ACCESS = WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE |
		       LANDLOCK_ACCESS_FS_MAKE_REG |
		       LANDLOCK_ACCESS_FS_MAKE_DIR,
	OTHER_ACCESS =
		LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
		LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_SOCK |
		LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
		LANDLOCK_ACCESS_FS_MAKE_SYM,
};

/* What the C library, terminals and names of services need. */
static const struct {
	const char *path;
	enum sandbox_access how;
} system_paths[] = {
	{ "/usr", SANDBOX_READS },
	{ "/lib", SANDBOX_READS },
	{ "/lib64", SANDBOX_READS },
	{ "/nix/store", SANDBOX_READS },
	{ "/etc/ld.so.cache", SANDBOX_READS },
	{ "/etc/localtime", SANDBOX_READS },
	{ "/etc/terminfo", SANDBOX_READS },
	{ "/etc/hosts", SANDBOX_READS },
	{ "/etc/host.conf", SANDBOX_READS },
	{ "/etc/nsswitch.conf", SANDBOX_READS },
	{ "/etc/resolv.conf", SANDBOX_READS },
	{ "/etc/services", SANDBOX_READS },
	{ "/etc/protocols", SANDBOX_READS },
	{ "/proc/self", SANDBOX_READS },
	{ "/proc/sys/vm", SANDBOX_READS },
	{ "/sys/devices/system/cpu", SANDBOX_READS },
	{ "/dev/random", SANDBOX_READS },
	{ "/dev/urandom", SANDBOX_READS },
	{ "/dev/null", SANDBOX_WRITES },
	{ "/dev/full", SANDBOX_WRITES },
	{ "/dev/zero", SANDBOX_WRITES },
	{ "/dev/tty", SANDBOX_WRITES },
	{ "/dev/pts", SANDBOX_WRITES },
#ifdef FABSCOPE_COUNTS
	{ FABSCOPE_COUNTS, SANDBOX_WRITES }, /* gcov, at the end */
#endif
};

/* One that is not there cannot be reached either. */
static bool allow_path(int rules, const char *path, enum sandbox_access how)
{
	struct landlock_path_beneath_attr rule = {
		.allowed_access = how == SANDBOX_WRITES
					  ? READ_ACCESS | WRITE_ACCESS
					  : READ_ACCESS,
		.parent_fd = open(path, O_PATH | O_CLOEXEC),
	};
	struct stat st;
	bool ok;

	if (rule.parent_fd < 0)
		return true;
	if (!fstat(rule.parent_fd, &st) && !S_ISDIR(st.st_mode))
		rule.allowed_access &= READ_FILE | WRITE_FILE;
	ok = !syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH,
		      &rule, 0);
	close(rule.parent_fd);
	/* what is on no file system, as a pipe, is not refused either */
	return ok || errno == EBADFD;
}

static void lock_files(const struct sandbox *s, struct sandbox_report *r)
{
	const struct landlock_ruleset_attr attr = {
		.handled_access_fs = READ_ACCESS | WRITE_ACCESS | OTHER_ACCESS,
	};
	int rules = (int)syscall(SYS_landlock_create_ruleset, &attr,
				 sizeof attr, 0);
	bool ok = rules >= 0;

	for (size_t i = 0; ok && i < COUNT(system_paths); i++)
		ok = allow_path(rules, system_paths[i].path,
				system_paths[i].how);
	for (size_t i = 0; ok && i < s->n_paths; i++)
		ok = allow_path(rules, s->paths[i].path, s->paths[i].how);
	ok = ok && !syscall(SYS_landlock_restrict_self, rules, 0);
	if (!ok)
		lack(r, "landlock", errno);
	else
		say(r, "landlock", "in force");
	if (rules >= 0)
		close(rules);
}

/* ---- the whole ---- */

void sandbox_enter(const struct sandbox *s, struct sandbox_report *r)
{
	*r = (struct sandbox_report) { .lacking = false };
	keep_capabilities(s, r);
	lock_files(s, r);
	filter_calls(s->needs, r);
}
