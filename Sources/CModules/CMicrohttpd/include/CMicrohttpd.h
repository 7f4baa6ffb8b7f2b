#pragma once
#include <microhttpd.h>

/* libmicrohttpd's functions, for programs that are not linked to it. */

/* Loads libmicrohttpd by the first call. Returns whether it is installed; only then may the others be called. */
int shim_mhd_load(void);

/* What the loader said of a libmicrohttpd that is there and could not be loaded; NULL if it is not installed. */
const char *shim_mhd_refusal(void);

/* The URI callback makes the first value of the request's slot. */
typedef void *(*shim_mhd_target_callback)(void *context, const char *target, struct MHD_Connection *connection);

/* The daemon is about to refuse a request by itself, with this status. The same function for all daemons. */
typedef void (*shim_mhd_refusal_callback)(void *context, unsigned int status);

/* The functions that a daemon calls, always with the same context. */
struct shim_mhd_callbacks {
  MHD_AcceptPolicyCallback accepts;
  MHD_AccessHandlerCallback handle;
  shim_mhd_target_callback target;
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection;
  shim_mhd_refusal_callback refuses;
};

/* Starts a daemon on a socket that already listens. MHD owns the socket from now on, and closes it when it is
   stopped. MHD_start_daemon itself is variadic, which Swift does not import. */
struct MHD_Daemon *shim_mhd_start(int listening, struct shim_mhd_callbacks callbacks, void *context,
                                  unsigned int connections, unsigned int seconds, size_t memory);

/* MHD_stop_daemon. */
void shim_mhd_stop(struct MHD_Daemon *daemon);

/* MHD_suspend_connection. */
void shim_mhd_suspend(struct MHD_Connection *connection);

/* MHD_resume_connection. */
void shim_mhd_resume(struct MHD_Connection *connection);

/* MHD_get_connection_values_n for the header fields. */
void shim_mhd_fields(struct MHD_Connection *connection, MHD_KeyValueIteratorN iterator, void *context);

/* MHD_create_response_from_buffer; the bytes are copied. */
struct MHD_Response *shim_mhd_response(size_t count, void *bytes);

/* MHD_create_response_from_callback. */
struct MHD_Response *shim_mhd_response_from(uint64_t count, size_t piece, MHD_ContentReaderCallback reader,
                                            void *context, MHD_ContentReaderFreeCallback done);

/* MHD_destroy_response. */
void shim_mhd_destroy(struct MHD_Response *response);

/* MHD_add_response_header. */
enum MHD_Result shim_mhd_add_field(struct MHD_Response *response, const char *name, const char *value);

/* MHD_queue_response. */
enum MHD_Result shim_mhd_queue(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response);

/* Returns how many bytes the head of the request has, from its method to the empty line; 0 if that is not known. */
size_t shim_mhd_head_size(struct MHD_Connection *connection);

/* Returns the socket of a connection, which MHD closes; -1 if there is none. */
int shim_mhd_descriptor(struct MHD_Connection *connection);

/* Whether a connection was accepted, and is not about to be closed. */
static inline int shim_mhd_has_started(enum MHD_ConnectionNotificationCode event) {
  return event == MHD_CONNECTION_NOTIFY_STARTED;
}

/* The end of a body that breaks off, which Swift cannot name because it is a cast in a macro. */
static inline ssize_t shim_mhd_end_with_error(void) { return MHD_CONTENT_READER_END_WITH_ERROR; }
