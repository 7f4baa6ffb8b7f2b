#pragma once
#include <curl/curl.h>

/* libcurl's functions, for programs that are not linked to it. curl_easy_setopt and its kin are variadic, which Swift
   does not import, so there is one function for each kind of argument. */

#if defined(__APPLE__)
#define SHIM_CURL_LIBRARY "libcurl.4.dylib"
#else
#define SHIM_CURL_LIBRARY "libcurl.so.4"
#endif

/* Loads libcurl and sets it up, by the first call. Returns whether it is installed and ready; only then may the others
   be called. */
int shim_curl_load(void);

/* What the loader said of a libcurl that is there and could not be loaded; NULL if it is not installed. */
const char *shim_curl_refusal(void);

typedef size_t (*shim_curl_data_callback)(char *bytes, size_t size, size_t count, void *context);
typedef int (*shim_curl_issue_callback)(void *context, char *to, char *from, int to_port, int from_port);
typedef int (*shim_curl_socket_callback)(CURL *handle, curl_socket_t socket, int what, void *context, void *own);
typedef int (*shim_curl_timer_callback)(CURLM *multi, long milliseconds, void *context);

/* A request: the functions of the same names without `shim_`. */
CURL *shim_curl_easy_init(void);
void shim_curl_easy_cleanup(CURL *handle);
void shim_curl_easy_reset(CURL *handle);
CURLcode shim_curl_easy_perform(CURL *handle);

CURLcode shim_curl_set_number(CURL *handle, CURLoption option, long value);
CURLcode shim_curl_set_text(CURL *handle, CURLoption option, const char *value);
CURLcode shim_curl_set_pointer(CURL *handle, CURLoption option, void *value);
CURLcode shim_curl_set_data_callback(CURL *handle, CURLoption option, shim_curl_data_callback value);
CURLcode shim_curl_set_issue_callback(CURL *handle, shim_curl_issue_callback value);
CURLcode shim_curl_set_tls_callback(CURL *handle, curl_ssl_ctx_callback value);
CURLcode shim_curl_set_debug(CURL *handle, curl_debug_callback value);

/* Records which descriptors are sockets that libcurl opened by `shim_curl_set_opening`: one byte for each below the
   limit. */
enum { shim_curl_opened_limit = 4096 };

/* Lets libcurl open sockets as it does by itself, but close-on-exec, so that programs started by this process do not
   inherit them. `opened` must outlive the connections. */
void shim_curl_set_opening(CURL *handle, unsigned char *opened);

long shim_curl_status(CURL *handle);
long shim_curl_http_version(CURL *handle);
void *shim_curl_private(CURL *handle);

/* The system's error number of the last connection that failed; 0 if there is none. */
long shim_curl_system_error(CURL *handle);

/* What OpenSSL found wrong with the certificate (X509_V_ERR_...); 0 if nothing. */
long shim_curl_certificate_error(CURL *handle);

/* The same of the certificate of a proxy that is reached by TLS. */
long shim_curl_proxy_certificate_error(CURL *handle);

/* The status of the proxy's answer to CONNECT; 0 if there is none. */
long shim_curl_proxy_status(CURL *handle);

/* Whether the proxy's answer names ways to authenticate, such as NTLM, but not HTTP Basic, the one that is spoken here. */
int shim_curl_proxy_has_other_methods(CURL *handle);

/* The server's own certificate as a PEM block; NULL if it is not known, as for a reused connection. Valid until the
   handle's next request. CURLOPT_CERTINFO must be set. */
const char *shim_curl_certificate(CURL *handle);

/* Sees which certificate OpenSSL refuses, in the connections that one handle opens. It only looks on: what OpenSSL
   decides is what counts. Used by one thread at a time, together with its handle. */
typedef struct shim_curl_witness shim_curl_witness;

/* Returns NULL where libcurl uses another TLS library; the functions below do nothing with that. */
shim_curl_witness *shim_curl_witness_new(void);
void shim_curl_witness_free(shim_curl_witness *witness);

/* Lets the witness see the connections that the handle opens from now on. It must outlive the handle's requests, and
   need not outlive the connections. */
void shim_curl_set_witness(CURL *handle, shim_curl_witness *witness);

/* Forgets what was seen, at the end of a request. */
void shim_curl_witness_forget(shim_curl_witness *witness);

enum { shim_curl_no_time = -1 };

struct shim_curl_certificate {
  /* X509_V_ERR_...; 0 if OpenSSL refused nothing, and then this is the server's own certificate. */
  int error;
  /* 0 for the server's own certificate; otherwise how many authorities it is above that. */
  int depth;
  /* Seconds since 1970, or `shim_curl_no_time`. */
  long long not_before;
  long long not_after;
};

/* Returns whether a certificate was seen on the connection that the request opened last. */
int shim_curl_seen(const shim_curl_witness *witness, struct shim_curl_certificate *found);

/* Writes the host or IP address with this number (0, 1, ...) that the certificate is for, if it can be shown. Returns
   whether there is one. */
int shim_curl_seen_host(const shim_curl_witness *witness, int number, char *text, size_t room);

/* What libcurl says of a request's stream of HTTP/2, in words alone. */
struct shim_curl_stream {
  /* The stream's number, or a smaller one; 0 if it is not known. */
  unsigned int number;
  /* Whether the service refused the stream before it had begun with it: RST_STREAM with REFUSED_STREAM or
     HTTP_1_1_REQUIRED, or a GOAWAY whose last stream came before (RFC 9113, sections 6.8, 7 and 8.7). */
  int is_refused;
  /* Whether it wants HTTP/1.1 instead. */
  int wants_old;
};

/* Notes in `stream` what becomes of the request's stream. It must outlive the request. */
void shim_curl_set_stream(CURL *handle, struct shim_curl_stream *stream);

/* Many requests: the functions of the same names without `shim_`. */
CURLM *shim_curl_multi_init(void);
void shim_curl_multi_cleanup(CURLM *multi);
CURLMcode shim_curl_multi_add_handle(CURLM *multi, CURL *handle);
CURLMcode shim_curl_multi_remove_handle(CURLM *multi, CURL *handle);
CURLMcode shim_curl_multi_socket_action(CURLM *multi, curl_socket_t socket, int events, int *running);
CURLMsg *shim_curl_multi_info_read(CURLM *multi, int *left);
CURLMcode shim_curl_multi_wakeup(CURLM *multi);

/* curl_multi_poll without waiting, and without descriptors of ours. */
CURLMcode shim_curl_multi_look(CURLM *multi);

CURLMcode shim_curl_multi_set_number(CURLM *multi, CURLMoption option, long value);
void shim_curl_multi_set_callbacks(CURLM *multi, shim_curl_socket_callback socket, shim_curl_timer_callback timer,
                                   void *context);

/* The result is a member of a union, which Swift could name only through its layout. */
CURLcode shim_curl_result(const CURLMsg *message);

/* Lines and addresses: the functions of the same names without `shim_`. */
struct curl_slist *shim_curl_slist_append(struct curl_slist *list, const char *line);
void shim_curl_slist_free_all(struct curl_slist *list);
CURLU *shim_curl_url(void);
void shim_curl_url_cleanup(CURLU *address);
CURLUcode shim_curl_url_set(CURLU *address, CURLUPart part, const char *text, unsigned int flags);
CURLUcode shim_curl_url_get(CURLU *address, CURLUPart part, char **text, unsigned int flags);
void shim_curl_free(void *memory);
curl_version_info_data *shim_curl_version_info(CURLversion age);
