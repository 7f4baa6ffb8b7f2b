#define _GNU_SOURCE
#include "cbench.h"
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { capacity = 16384 };

typedef struct {
  int socket;
  size_t used;
  char bytes[capacity];
} connection;

typedef struct {
  int listener;
  unsigned delay;
  char *answer;
  size_t length;
} server;

static _Atomic uint64_t answered;

uint64_t cb_server_answered(void) { return atomic_load(&answered); }

static pthread_mutex_t last_mutex = PTHREAD_MUTEX_INITIALIZER;
static char last[capacity];
static size_t last_length;

static void keep(const char *bytes, size_t length) {
  pthread_mutex_lock(&last_mutex);
  memcpy(last, bytes, last_length = length);
  pthread_mutex_unlock(&last_mutex);
}

size_t cb_server_last_request(uint8_t *bytes, size_t room) {
  pthread_mutex_lock(&last_mutex);
  size_t length = last_length;
  memcpy(bytes, last, length < room ? length : room);
  pthread_mutex_unlock(&last_mutex);
  return length;
}

/* Returns the length of the first complete request in the buffer, or 0 if it is not complete. */
static size_t request_length(connection *peer) {
  peer->bytes[peer->used] = 0;
  char *end = strstr(peer->bytes, "\r\n\r\n");
  if (!end) return 0;
  size_t head = (size_t)(end - peer->bytes) + 4, body = 0;
  char *field = strcasestr(peer->bytes, "\r\ncontent-length:");
  if (field && field < end) body = strtoul(field + 17, NULL, 10);
  return head + body <= peer->used ? head + body : 0;
}

/* Returns whether the connection stays open. */
static int serve(server *self, connection *peer) {
  ssize_t got = read(peer->socket, peer->bytes + peer->used, capacity - 1 - peer->used);
  if (got <= 0) return 0;
  peer->used += (size_t)got;
  for (size_t length; (length = request_length(peer));) {
    keep(peer->bytes, length);
    memmove(peer->bytes, peer->bytes + length, peer->used - length);
    peer->used -= length;
    if (self->delay) usleep(self->delay);
    atomic_fetch_add(&answered, 1);
    if (write(peer->socket, self->answer, self->length) != (ssize_t)self->length) return 0;
  }
  return peer->used < capacity - 1;
}

static void *run(void *context) {
  server *self = context;
  int poll = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN}, ready[64];
  epoll_ctl(poll, EPOLL_CTL_ADD, self->listener, &event);
  for (;;) {
    int count = epoll_wait(poll, ready, 64, -1);
    for (int index = 0; index < count; index++) {
      connection *peer = ready[index].data.ptr;
      if (peer) {
        if (serve(self, peer)) continue;
        // Removed here and not by close: a newly forked process may hold the socket a moment longer, and epoll
        // would still report it, with a pointer to freed memory.
        epoll_ctl(poll, EPOLL_CTL_DEL, peer->socket, NULL);
        close(peer->socket);
        free(peer);
        continue;
      }
      int socket = accept4(self->listener, NULL, NULL, SOCK_CLOEXEC), one = 1;
      if (socket < 0 || !(peer = malloc(sizeof *peer))) continue;
      setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
      peer->socket = socket;
      peer->used = 0;
      event.data.ptr = peer;
      epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event);
    }
  }
  return NULL;
}

uint16_t cb_server_start(size_t body, unsigned delay) {
  server *self = calloc(1, sizeof *self);
  self->delay = delay;
  self->answer = malloc(body + 512);
  int head = snprintf(
    self->answer, 512,
    "HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\nContent-Type: application/json\r\n"
    "Cache-Control: no-store\r\nContent-Length: %zu\r\n\r\n",
    body);
  memset(self->answer + head, ' ', body);
  self->answer[head] = '{';
  self->answer[head + (int)body - 1] = '}';
  self->length = (size_t)head + body;
  self->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  pthread_t thread;
  if (bind(self->listener, (struct sockaddr *)&address, length) || listen(self->listener, 1024)
      || getsockname(self->listener, (struct sockaddr *)&address, &length)
      || pthread_create(&thread, NULL, run, self))
    return 0;
  pthread_detach(thread);
  return ntohs(address.sin_port);
}
