#define _XOPEN_SOURCE 700
#define _GNU_SOURCE
#include "cbench.h"
#include <ftw.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int cb_commit(const char *directory, const char *name, const uint8_t *bytes, size_t count) {
  char temporary[4096], final[4096];
  snprintf(temporary, sizeof temporary, "%s/.%s.new", directory, name);
  snprintf(final, sizeof final, "%s/%s", directory, name);
  int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return 1;
  int failed = write(file, bytes, count) != (ssize_t)count || fsync(file);
  if (close(file) || failed || rename(temporary, final)) return 1;
  int place = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (place < 0) return 1;
  failed = fsync(place);
  return close(place) || failed;
}

int cb_run(const char *path, char *const arguments[], char *const environment[]) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  pid_t child;
  int failed = posix_spawn(&child, path, &actions, NULL, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  int status;
  if (failed || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)status, (void)kind, (void)place;
  return remove(path);
}

void cb_remove_tree(const char *path) { nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

uint64_t cb_processor_nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int cb_start(const char *path, char *const arguments[], char *const environment[], const char *output) {
  int file = open(output, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  pid_t parent = getpid(), child = file < 0 || null < 0 ? -1 : fork();
  if (child == 0) {
    // Between fork and exec only what a signal handler may call.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent && dup2(null, 0) == 0 && dup2(file, 1) == 1) execve(path, arguments, environment);
    _exit(127);
  }
  close(file);
  close(null);
  return child;
}

void cb_stop(int child) {
  if (child <= 0) return;
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
}
