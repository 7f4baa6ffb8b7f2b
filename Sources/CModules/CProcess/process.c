#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

extern char **environ;

static char *const *started_with;
static int started_count;

/* glibc and Apple's loader call constructors with main's parameters. */
#if defined(__GLIBC__) || defined(__APPLE__)
__attribute__((constructor)) static void note_arguments(int count, char **words) {
  started_with = words;
  started_count = count;
}
#endif

char *const *latchkey_arguments(int *count) {
  *count = started_count;
  return started_with;
}

#define PASSED 9
static const int passed[PASSED] = {SIGINT,  SIGTERM,  SIGHUP,  SIGQUIT, SIGUSR1,
                                   SIGUSR2, SIGWINCH, SIGTSTP, SIGCONT};
static int installed[PASSED];
/* The child's process ID; 0 before it exists and after its end. A process ID fits this type. */
static volatile sig_atomic_t child;
/* Signals that came before there was a child. */
static volatile sig_atomic_t early[PASSED];

/* Calls async-signal-safe functions only (POSIX.1-2017, section 2.4.3). */
static void pass(int number, siginfo_t *info, void *context) {
  (void)context;
  int kept = errno;
  pid_t receiver = child;
  if (receiver <= 0) {
    for (int i = 0; i < PASSED; i++) {
      if (passed[i] == number) early[i] = 1;
    }
  } else if (number == SIGCONT || info->si_code <= 0) {
    /* A process sent it. A terminal's signals go to the whole group, which includes the child. */
    kill(receiver, number);
  }
  errno = kept;
}

static void install(void) {
  for (int i = 0; i < PASSED; i++) {
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = pass;
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    early[i] = 0;
    installed[i] = 0;
    if (sigaction(passed[i], NULL, &before) != 0) continue;
    /* Keep signals ignored that the process ignores, as after nohup. */
    if (!(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_IGN) continue;
    installed[i] = sigaction(passed[i], &action, NULL) == 0;
  }
}

/* Makes the descriptors from `first` to `last` close-on-exec. Calls async-signal-safe functions only. */
static void mark(unsigned first, unsigned last) {
  if (first > last) return;
#if defined(__linux__) && defined(SYS_close_range)
  /* The flag is CLOSE_RANGE_CLOEXEC, which older headers lack. Kernels before 5.11 refuse it. */
  if (syscall(SYS_close_range, first, last, 1u << 2) == 0) return;
#endif
  struct rlimit limit;
  unsigned most = 65535;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur <= most) most = (unsigned)limit.rlim_cur;
  for (unsigned number = first; number <= last && number <= most; number++) {
    int flags = fcntl((int)number, F_GETFD);
    if (flags >= 0) fcntl((int)number, F_SETFD, flags | FD_CLOEXEC);
  }
}

void latchkey_close_at_exec(const int *foreign, int foreign_count) {
  unsigned first = 3;
  for (int i = 0; i < foreign_count; i++) {
    if (foreign[i] < (int)first) continue;
    mark(first, (unsigned)foreign[i] - 1);
    first = (unsigned)foreign[i] + 1;
  }
  mark(first, INT_MAX);
}

void latchkey_take_priority(int process) {
#ifdef __linux__
  errno = 0;
  int nice = getpriority(PRIO_PROCESS, (id_t)process);
  if (nice != -1 || errno == 0) setpriority(PRIO_PROCESS, 0, nice);
#else
  (void)process;
#endif
}

/* Runs in the child, with every signal blocked. */
static void become(const char *file, char *const *arguments, char *const *variables, const int *foreign,
                   int foreign_count, int inherited, int shown, pid_t parent, int report) {
  for (int i = 0; i < PASSED; i++) {
    if (installed[i]) signal(passed[i], SIG_DFL);
  }
  signal(SIGPIPE, SIG_DFL);
  latchkey_take_priority(parent);
  if (foreign_count >= 0) latchkey_close_at_exec(foreign, foreign_count);
  if (inherited >= 0 && inherited != shown) {
    if (report == shown) report = fcntl(report, F_DUPFD_CLOEXEC, 10);
    dup2(inherited, shown);
  } else if (inherited >= 0) {
    fcntl(inherited, F_SETFD, 0);
  }
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
  /* The parent may have ended before the child asked to be told. */
  if (getppid() != parent) _exit(128 + SIGTERM);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  environ = (char **)variables;
  execvp(file, arguments);
  int problem = errno;
  ssize_t written = write(report, &problem, sizeof problem);
  (void)written;
  _exit(127);
}

/* Waits for the end of the child but does not reap it, so that its process ID is not reused while a handler runs.
   */
static void wait_for_end(pid_t number) {
  while (1) {
    siginfo_t found;
    found.si_pid = 0;
    if (waitid(P_PID, (id_t)number, &found, WEXITED | WSTOPPED | WNOWAIT) != 0) {
      if (errno == EINTR) continue;
      return;
    }
    if (found.si_code != CLD_STOPPED) return;
    /* Consume the stop. The child may have continued or ended meanwhile. */
    found.si_pid = 0;
    if (waitid(P_PID, (id_t)number, &found, WSTOPPED | WNOHANG) == 0 && found.si_pid == number) kill(getpid(), SIGSTOP);
  }
}

static int open_report(int *report) {
#ifdef __linux__
  return pipe2(report, O_CLOEXEC);
#else
  if (pipe(report) != 0) return -1;
  fcntl(report[0], F_SETFD, FD_CLOEXEC);
  fcntl(report[1], F_SETFD, FD_CLOEXEC);
  return 0;
#endif
}

int latchkey_run_child(const char *file, char *const *arguments, char *const *variables, const int *foreign,
                       int foreign_count, int inherited, int shown, int *problem) {
  int report[2];
  *problem = 0;
  if (open_report(report) != 0) {
    *problem = errno;
    return -1;
  }
  sigset_t every, before;
  sigfillset(&every);
  pthread_sigmask(SIG_BLOCK, &every, &before);
  install();
  pid_t parent = getpid();
  pid_t number = fork();
  if (number == 0) become(file, arguments, variables, foreign, foreign_count, inherited, shown, parent, report[1]);
  int failure = number < 0 ? errno : 0;
  close(report[1]);
  if (number > 0) {
    child = number;
    for (int i = 0; i < PASSED; i++) {
      if (early[i]) kill(number, passed[i]);
    }
    ssize_t got;
    do {
      got = read(report[0], &failure, sizeof failure);
    } while (got < 0 && errno == EINTR);
    if (got != sizeof failure) failure = 0;
  }
  close(report[0]);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  int status = 0;
  if (number > 0) {
    wait_for_end(number);
    child = 0;
    while (waitpid(number, &status, 0) < 0 && errno == EINTR) {
    }
  }
  if (failure != 0) {
    *problem = failure;
    return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
