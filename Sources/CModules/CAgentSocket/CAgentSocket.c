#define _GNU_SOURCE
#include "CAgentSocket.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#ifndef __linux__
#include <sys/un.h>
#endif
#ifdef __linux__
#include <sys/prctl.h>
#endif

int latchkey_peer_user(int descriptor, uint32_t *user) {
#ifdef __linux__
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || size != sizeof peer) return -1;
  *user = peer.uid;
#else
  uid_t found;
  gid_t group;
  if (getpeereid(descriptor, &found, &group) != 0) return -1;
  *user = found;
#endif
  return 0;
}

int32_t latchkey_peer_process(int descriptor) {
#ifdef __linux__
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || size != sizeof peer) return 0;
  return peer.pid;
#else
  pid_t found = 0;
  socklen_t size = sizeof found;
  if (getsockopt(descriptor, SOL_LOCAL, LOCAL_PEERPID, &found, &size) != 0) return 0;
  return found;
#endif
}

int latchkey_keep_memory_private(void) {
  struct rlimit none = {0, 0};
  int failed = setrlimit(RLIMIT_CORE, &none);
#ifdef __linux__
  failed |= prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
  return failed == 0 ? 0 : -1;
}
