#pragma once
#include <curl/curl.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* curl_easy_setopt and its kin are variadic, which Swift does not import, so there is one function for each kind of
   argument. The parentheses avoid the type-checking macros of the same names. */
typedef size_t (*shim_curl_data_callback)(char *bytes, size_t size, size_t count, void *context);
typedef int (*shim_curl_issue_callback)(void *context, char *to, char *from, int to_port, int from_port);

static inline CURLcode shim_curl_set_number(CURL *handle, CURLoption option, long value) {
  return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode shim_curl_set_text(CURL *handle, CURLoption option, const char *value) {
  return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode shim_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode shim_curl_set_data_callback(CURL *handle, CURLoption option, shim_curl_data_callback value) {
  return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode shim_curl_set_issue_callback(CURL *handle, shim_curl_issue_callback value) {
  return (curl_easy_setopt)(handle, CURLOPT_PREREQFUNCTION, value);
}

/* Records which descriptors are sockets that libcurl opened through `shim_curl_open`: one byte for each below the
   limit. */
enum { shim_curl_opened_limit = 4096 };

static inline void shim_curl_note(unsigned char *opened, curl_socket_t number, unsigned char is_open) {
  if (number >= 0 && number < shim_curl_opened_limit) opened[number] = is_open;
}

/* Opens a socket as libcurl does by itself, but close-on-exec, so that programs started by this process do not
   inherit it. */
static inline curl_socket_t shim_curl_open(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
  (void)purpose;
#ifdef SOCK_CLOEXEC
  curl_socket_t number = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
  curl_socket_t number = socket(address->family, address->socktype, address->protocol);
  if (number >= 0) fcntl(number, F_SETFD, FD_CLOEXEC);
#endif
  shim_curl_note(context, number, 1);
  return number;
}

static inline int shim_curl_close(void *context, curl_socket_t number) {
  shim_curl_note(context, number, 0);
  return close(number);
}

/* `opened` must outlive the connections. */
static inline void shim_curl_set_opening(CURL *handle, unsigned char *opened) {
  (curl_easy_setopt)(handle, CURLOPT_OPENSOCKETFUNCTION, shim_curl_open);
  (curl_easy_setopt)(handle, CURLOPT_OPENSOCKETDATA, opened);
  (curl_easy_setopt)(handle, CURLOPT_CLOSESOCKETFUNCTION, shim_curl_close);
  (curl_easy_setopt)(handle, CURLOPT_CLOSESOCKETDATA, opened);
}

static inline CURLMcode shim_curl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
  return (curl_multi_setopt)(multi, option, value);
}

static inline long shim_curl_status(CURL *handle) {
  long status = 0;
  (curl_easy_getinfo)(handle, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

// The system's error number of the last connection that failed; 0 if there is none.
static inline long shim_curl_system_error(CURL *handle) {
    long number = 0;
    return curl_easy_getinfo(handle, CURLINFO_OS_ERRNO, &number) == CURLE_OK ? number : 0;
}

// What OpenSSL found wrong with the certificate (X509_V_ERR_...); 0 if nothing.
static inline long shim_curl_certificate_error(CURL *handle) {
    long number = 0;
    return curl_easy_getinfo(handle, CURLINFO_SSL_VERIFYRESULT, &number) == CURLE_OK ? number : 0;
}

static inline long shim_curl_http_version(CURL *handle) {
  long version = 0;
  (curl_easy_getinfo)(handle, CURLINFO_HTTP_VERSION, &version);
  return version;
}

/* The server's own certificate as a PEM block; NULL if it is not known, as for a reused connection. Valid until the
   handle's next request. CURLOPT_CERTINFO must be set. */
static inline const char *shim_curl_certificate(CURL *handle) {
  struct curl_certinfo *info = NULL;
  if ((curl_easy_getinfo)(handle, CURLINFO_CERTINFO, &info) != CURLE_OK || !info || info->num_of_certs < 1) return NULL;
  for (const struct curl_slist *line = info->certinfo[0]; line; line = line->next) {
    if (strncmp(line->data, "Cert:", 5) == 0) return line->data + 5;
  }
  return NULL;
}

static inline void *shim_curl_private(CURL *handle) {
  char *context = NULL;
  (curl_easy_getinfo)(handle, CURLINFO_PRIVATE, &context);
  return context;
}

/* The result is a member of a union, which Swift could name only through its layout. */
static inline CURLcode shim_curl_result(const CURLMsg *message) { return message->data.result; }

static inline CURLcode shim_curl_start(void) { return curl_global_init(CURL_GLOBAL_ALL); }

typedef int (*shim_curl_socket_callback)(CURL *handle, curl_socket_t socket, int what, void *context, void *own);
typedef int (*shim_curl_timer_callback)(CURLM *multi, long milliseconds, void *context);

static inline void shim_curl_multi_set_callbacks(CURLM *multi, shim_curl_socket_callback socket,
                                                 shim_curl_timer_callback timer, void *context) {
  (curl_multi_setopt)(multi, CURLMOPT_SOCKETFUNCTION, socket);
  (curl_multi_setopt)(multi, CURLMOPT_SOCKETDATA, context);
  (curl_multi_setopt)(multi, CURLMOPT_TIMERFUNCTION, timer);
  (curl_multi_setopt)(multi, CURLMOPT_TIMERDATA, context);
}
