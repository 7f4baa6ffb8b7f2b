#pragma once
#if defined(__linux__)
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* Asks the kernel (sock_diag(7)) for the TCP socket of this machine whose own address is `local` and whose other
   end is `remote`, both of 4 or 16 bytes, in network order. It is in C because Swift does not import the unions in
   these structures correctly.

   Returns 1 and the user if there is one, open both ways and held by a process; 0 if there is none; -1 if the
   kernel cannot be asked. For a closed socket the kernel reports user 0, so closed sockets count as none. */
static inline int shim_socket_owner(int is_six, const uint8_t *local, uint16_t local_port, const uint8_t *remote,
                                    uint16_t remote_port, uint32_t *user) {
  struct {
    struct nlmsghdr head;
    struct inet_diag_req_v2 body;
  } request;
  memset(&request, 0, sizeof request);
  size_t size = is_six ? 16 : 4;
  request.head.nlmsg_len = sizeof request;
  request.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.head.nlmsg_flags = NLM_F_REQUEST;
  request.head.nlmsg_seq = 1;
  request.body.sdiag_family = is_six ? AF_INET6 : AF_INET;
  request.body.sdiag_protocol = IPPROTO_TCP;
  request.body.idiag_states = ~0U;
  memcpy(request.body.id.idiag_src, local, size);
  memcpy(request.body.id.idiag_dst, remote, size);
  request.body.id.idiag_sport = htons(local_port);
  request.body.id.idiag_dport = htons(remote_port);
  request.body.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
  request.body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;

  int descriptor = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (descriptor < 0) return -1;
  struct timeval patience = {.tv_sec = 1, .tv_usec = 0};
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  struct sockaddr_nl kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.nl_family = AF_NETLINK;
  union {
    struct nlmsghdr head;
    uint8_t bytes[8192];
  } answer;
  ssize_t count = sendto(descriptor, &request, sizeof request, 0, (struct sockaddr *)&kernel, sizeof kernel);
  struct sockaddr_nl sender;
  memset(&sender, 0, sizeof sender);
  if (count == (ssize_t)sizeof request) {
    socklen_t length = sizeof sender;
    do {
      count = recvfrom(descriptor, &answer, sizeof answer, 0, (struct sockaddr *)&sender, &length);
    } while (count < 0 && errno == EINTR);
  } else {
    count = -1;
  }
  close(descriptor);
  // Another process may send to this socket too.
  if (count < (ssize_t)sizeof answer.head || sender.nl_pid != 0 || !NLMSG_OK(&answer.head, (size_t)count)) return -1;
  if (answer.head.nlmsg_type == NLMSG_ERROR) {
    if (answer.head.nlmsg_len < NLMSG_LENGTH(sizeof(struct nlmsgerr))) return -1;
    const struct nlmsgerr *error = (const struct nlmsgerr *)NLMSG_DATA(&answer.head);
    return error->error == -ENOENT ? 0 : -1;
  }
  if (answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
      answer.head.nlmsg_len < NLMSG_LENGTH(sizeof(struct inet_diag_msg)))
    return -1;
  const struct inet_diag_msg *found = (const struct inet_diag_msg *)NLMSG_DATA(&answer.head);
  // If there is no such connection, the kernel looks for a socket that listens at the port.
  enum { established = 1 };
  if (found->idiag_state != established || found->idiag_inode == 0 ||
      found->id.idiag_sport != request.body.id.idiag_sport || found->id.idiag_dport != request.body.id.idiag_dport)
    return 0;
  *user = found->idiag_uid;
  return 1;
}
#endif
