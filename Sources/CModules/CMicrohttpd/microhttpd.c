#include "CMicrohttpd.h"

#include <CLibrary.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>

#if defined(__APPLE__)
#define LIBRARY "libmicrohttpd.12.dylib"
#else
#define LIBRARY "libmicrohttpd.so.12"
#endif

#define FUNCTIONS(X)                                                                                                   \
  X(MHD_start_daemon)                                                                                                  \
  X(MHD_stop_daemon)                                                                                                   \
  X(MHD_suspend_connection)                                                                                            \
  X(MHD_resume_connection)                                                                                             \
  X(MHD_get_connection_info)                                                                                           \
  X(MHD_get_connection_values_n)                                                                                       \
  X(MHD_create_response_from_buffer)                                                                                   \
  X(MHD_create_response_from_callback)                                                                                 \
  X(MHD_destroy_response)                                                                                              \
  X(MHD_add_response_header)                                                                                           \
  X(MHD_queue_response)

/* The types are those of the header, so a call that does not fit does not compile. */
static struct {
#define X(name) __typeof__(name) *name;
  FUNCTIONS(X)
#undef X
} library;

static int is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  const struct latchkey_function functions[] = {
#define X(name) {#name, &library.name},
      FUNCTIONS(X)
#undef X
  };
  is_loaded = latchkey_library_load(LIBRARY, functions, sizeof functions / sizeof *functions);
}

int shim_mhd_load(void) {
  pthread_once(&once, load);
  return is_loaded;
}

const char *shim_mhd_refusal(void) { return latchkey_library_refusal(LIBRARY); }

static shim_mhd_refusal_callback refuses;

/* The daemon tells its log before it refuses a request by itself, and nobody else. */
static void notice(void *context, const char *format, va_list arguments) {
  static const char text[] = "Error processing request (HTTP response code is %u ";
  shim_mhd_refusal_callback call = __atomic_load_n(&refuses, __ATOMIC_ACQUIRE);
  if (call == NULL || strncmp(format, text, sizeof text - 1) != 0) { return; }
  call(context, va_arg(arguments, unsigned int));
}

struct MHD_Daemon *shim_mhd_start(int listening, struct shim_mhd_callbacks callbacks, void *context,
                                  unsigned int connections, unsigned int seconds, size_t memory) {
  __atomic_store_n(&refuses, callbacks.refuses, __ATOMIC_RELEASE);
  unsigned int flags = MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
  /* MHD requires the URI callback before every other option. */
  return library.MHD_start_daemon(
      flags, 0, callbacks.accepts, context, callbacks.handle, context, MHD_OPTION_URI_LOG_CALLBACK, callbacks.target,
      context, MHD_OPTION_EXTERNAL_LOGGER, notice, context, MHD_OPTION_LISTEN_SOCKET, listening, MHD_OPTION_NOTIFY_COMPLETED, callbacks.completed, context,
      MHD_OPTION_NOTIFY_CONNECTION, callbacks.connection, context, MHD_OPTION_CONNECTION_LIMIT, connections,
      MHD_OPTION_CONNECTION_TIMEOUT, seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, MHD_OPTION_STRICT_FOR_CLIENT,
      0, MHD_OPTION_END);
}

void shim_mhd_stop(struct MHD_Daemon *daemon) { library.MHD_stop_daemon(daemon); }

void shim_mhd_suspend(struct MHD_Connection *connection) { library.MHD_suspend_connection(connection); }

void shim_mhd_resume(struct MHD_Connection *connection) { library.MHD_resume_connection(connection); }

void shim_mhd_fields(struct MHD_Connection *connection, MHD_KeyValueIteratorN iterator, void *context) {
  library.MHD_get_connection_values_n(connection, MHD_HEADER_KIND, iterator, context);
}

struct MHD_Response *shim_mhd_response(size_t count, void *bytes) {
  return library.MHD_create_response_from_buffer(count, bytes, MHD_RESPMEM_MUST_COPY);
}

struct MHD_Response *shim_mhd_response_from(uint64_t count, size_t piece, MHD_ContentReaderCallback reader,
                                            void *context, MHD_ContentReaderFreeCallback done) {
  return library.MHD_create_response_from_callback(count, piece, reader, context, done);
}

void shim_mhd_destroy(struct MHD_Response *response) { library.MHD_destroy_response(response); }

enum MHD_Result shim_mhd_add_field(struct MHD_Response *response, const char *name, const char *value) {
  return library.MHD_add_response_header(response, name, value);
}

enum MHD_Result shim_mhd_queue(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response) {
  return library.MHD_queue_response(connection, status, response);
}

size_t shim_mhd_head_size(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      library.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info == NULL ? 0 : info->header_size;
}

int shim_mhd_descriptor(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      library.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : (int)info->connect_fd;
}
