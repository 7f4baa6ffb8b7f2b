#pragma once
#include <microhttpd.h>

/* MHD_start_daemon is variadic, which Swift does not import. The URI callback makes the first value of the
   request's slot, and MHD requires it before every other option. */
typedef void *(*shim_mhd_target_callback)(void *context, const char *target, struct MHD_Connection *connection);

/* The functions that a daemon calls, always with the same context. */
struct shim_mhd_callbacks {
  MHD_AcceptPolicyCallback accepts;
  MHD_AccessHandlerCallback handle;
  shim_mhd_target_callback target;
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection;
};

/* Starts a daemon on a socket that already listens. MHD owns the socket from now on, and closes it when it is
   stopped. */
static inline struct MHD_Daemon *shim_mhd_start(int listening, struct shim_mhd_callbacks callbacks, void *context,
                                                unsigned int connections, unsigned int seconds, size_t memory) {
  unsigned int flags = MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
  return MHD_start_daemon(flags, 0, callbacks.accepts, context, callbacks.handle, context, MHD_OPTION_URI_LOG_CALLBACK,
                          callbacks.target, context, MHD_OPTION_LISTEN_SOCKET, listening, MHD_OPTION_NOTIFY_COMPLETED,
                          callbacks.completed, context, MHD_OPTION_NOTIFY_CONNECTION, callbacks.connection, context,
                          MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_CONNECTION_TIMEOUT, seconds,
                          MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}

/* Returns the socket of a connection, which MHD closes; -1 if there is none. */
static inline int shim_mhd_descriptor(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : (int)info->connect_fd;
}

/* Whether a connection was accepted, and is not about to be closed. */
static inline int shim_mhd_has_started(enum MHD_ConnectionNotificationCode event) {
  return event == MHD_CONNECTION_NOTIFY_STARTED;
}

/* The two ends of a body, which Swift cannot name because they are casts in macros. */
static inline ssize_t shim_mhd_end_with_error(void) { return MHD_CONTENT_READER_END_WITH_ERROR; }
