#pragma once
#include <dirent.h>
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* Lets a spawned program inherit only the descriptors 0, 1 and 2, even if this process or a library in it left
   others open without close-on-exec. Returns 0, or an errno. If the C library cannot do this in the child, it
   covers only the descriptors that are open now: those that another thread opens meanwhile must be close-on-exec.
   */
static inline int shim_spawn_close_others(posix_spawn_file_actions_t *actions) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  return posix_spawn_file_actions_addclosefrom_np(actions, 3);
#elif defined(__linux__)
  DIR *open = opendir("/proc/self/fd");
  if (open == NULL) return 0;
  int failure = 0;
  for (struct dirent *entry; failure == 0 && (entry = readdir(open)) != NULL;) {
    int descriptor = atoi(entry->d_name);
    if (descriptor > 2 && descriptor != dirfd(open)) failure = posix_spawn_file_actions_addclose(actions, descriptor);
  }
  closedir(open);
  return failure;
#else
  (void)actions;
  return 0;
#endif
}

/* The flag that starts a spawned program in a session of its own. glibc defines it only for GNU programs. */
static inline short shim_spawn_own_session(void) {
#if defined(POSIX_SPAWN_SETSID)
  return POSIX_SPAWN_SETSID;
#else
  return 0x80;
#endif
}

/* Gives the calling thread the nice value of the process's first thread: libdispatch gives its threads others where it may, as
   root, and a program that one of them starts would inherit it. */
static inline void shim_spawn_take_priority(void) {
#ifdef __linux__
  errno = 0;
  int nice = getpriority(PRIO_PROCESS, (id_t)getpid());
  if (nice != -1 || errno == 0) setpriority(PRIO_PROCESS, 0, nice);
#endif
}
