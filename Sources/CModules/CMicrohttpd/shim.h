#pragma once
#include <microhttpd.h>

/* MHD_start_daemon is variadic, which Swift does not import. The URI callback makes the first value of the request's
   slot, and MHD wants it before every other option. */
typedef void *(*shim_mhd_target_callback)(void *context, const char *target, struct MHD_Connection *connection);

/* Starts a daemon on a socket that already listens. MHD owns the socket from here on, and closes it when stopped. */
static inline struct MHD_Daemon *shim_mhd_start(int listening, MHD_AccessHandlerCallback handler,
                                                shim_mhd_target_callback target, MHD_RequestCompletedCallback completed,
                                                void *context, unsigned int connections, unsigned int seconds,
                                                size_t memory) {
  unsigned int flags = MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
  return MHD_start_daemon(flags, 0, NULL, NULL, handler, context, MHD_OPTION_URI_LOG_CALLBACK, target, context,
                          MHD_OPTION_LISTEN_SOCKET, listening, MHD_OPTION_NOTIFY_COMPLETED, completed, context,
                          MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_CONNECTION_TIMEOUT, seconds,
                          MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}

/* The two ends of a body that Swift cannot name, because they are casts inside macros. */
static inline ssize_t shim_mhd_end_with_error(void) { return MHD_CONTENT_READER_END_WITH_ERROR; }
