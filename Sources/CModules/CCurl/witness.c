/* Sees what OpenSSL thinks of the certificates of a connection, because libcurl forgets them when it refuses one. */
#include "CCurl.h"

#include <CLibrary.h>
#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FUNCTIONS(X)                                                                                                   \
  X(ASN1_STRING_get0_data)                                                                                             \
  X(ASN1_STRING_length)                                                                                                \
  X(ASN1_TIME_to_tm)                                                                                                   \
  X(CRYPTO_get_ex_new_index)                                                                                           \
  X(GENERAL_NAMES_free)                                                                                                \
  X(OPENSSL_sk_num)                                                                                                    \
  X(OPENSSL_sk_value)                                                                                                  \
  X(OpenSSL_version)                                                                                                   \
  X(SSL_CTX_get_ex_data)                                                                                               \
  X(SSL_CTX_get_verify_callback)                                                                                       \
  X(SSL_CTX_get_verify_mode)                                                                                           \
  X(SSL_CTX_set_ex_data)                                                                                               \
  X(SSL_CTX_set_verify)                                                                                                \
  X(SSL_get_SSL_CTX)                                                                                                   \
  X(SSL_get_ex_data_X509_STORE_CTX_idx)                                                                                \
  X(X509_STORE_CTX_get_current_cert)                                                                                   \
  X(X509_STORE_CTX_get_error)                                                                                          \
  X(X509_STORE_CTX_get_error_depth)                                                                                    \
  X(X509_STORE_CTX_get_ex_data)                                                                                        \
  X(X509_free)                                                                                                         \
  X(X509_get0_notAfter)                                                                                                \
  X(X509_get0_notBefore)                                                                                               \
  X(X509_get_ext_d2i)                                                                                                  \
  X(X509_up_ref)

static struct {
#define X(name) __typeof__(name) *name;
  FUNCTIONS(X)
#undef X
} library;

/* What was seen on one connection. The connection may outlive the request that opened it, and the other way round, so
   each of them holds it. */
struct sight {
  atomic_int holders;
  /* The certificate that was refused; until then, the server's own. */
  X509 *certificate;
  int error;
  int depth;
};

struct shim_curl_witness {
  struct sight *sight;
};

static int is_ready;
/* Where OpenSSL keeps the sight of a connection. */
static int place = -1;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void let_go(struct sight *sight) {
  if (sight == NULL || atomic_fetch_sub(&sight->holders, 1) != 1) return;
  if (sight->certificate != NULL) library.X509_free(sight->certificate);
  free(sight);
}

static void connection_ended(void *context, void *sight, CRYPTO_EX_DATA *all, int index, long number, void *more) {
  (void)context, (void)all, (void)index, (void)number, (void)more;
  let_go(sight);
}

/* Whether libcurl's TLS is the OpenSSL whose functions were found. Its text names the library and its version, and in
   parentheses those that it could use instead. */
static int is_openssl(void) {
  const curl_version_info_data *info = shim_curl_version_info(CURLVERSION_NOW);
  const char name[] = "OpenSSL/";
  return info != NULL && info->ssl_version != NULL && strncmp(info->ssl_version, name, sizeof name - 1) == 0 &&
         strcmp(info->ssl_version + sizeof name - 1, library.OpenSSL_version(OPENSSL_VERSION_STRING)) == 0;
}

static void load(void) {
  const struct latchkey_function functions[] = {
#define X(name) {#name, &library.name},
      FUNCTIONS(X)
#undef X
  };
  /* They are looked up in libcurl and what it is linked to, so another OpenSSL of this process is not taken for it. */
  if (!shim_curl_load() || !latchkey_library_load(SHIM_CURL_LIBRARY, functions, sizeof functions / sizeof *functions))
    return;
  if (!is_openssl()) return;
  place = library.CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL_CTX, 0, NULL, NULL, NULL, connection_ended);
  is_ready = place >= 0;
}

static void look(int is_accepted, X509_STORE_CTX *chain) {
  SSL *connection = library.X509_STORE_CTX_get_ex_data(chain, library.SSL_get_ex_data_X509_STORE_CTX_idx());
  if (connection == NULL) return;
  struct sight *sight = library.SSL_CTX_get_ex_data(library.SSL_get_SSL_CTX(connection), place);
  if (sight == NULL || sight->error != X509_V_OK) return;
  int depth = library.X509_STORE_CTX_get_error_depth(chain);
  if (is_accepted && depth != 0) return;
  X509 *certificate = library.X509_STORE_CTX_get_current_cert(chain);
  if (certificate != NULL && !library.X509_up_ref(certificate)) return;
  if (sight->certificate != NULL) library.X509_free(sight->certificate);
  sight->certificate = certificate;
  sight->error = is_accepted ? X509_V_OK : library.X509_STORE_CTX_get_error(chain);
  sight->depth = depth;
}

/* OpenSSL's own verdict is the answer, whatever was seen. */
static int observe(int is_accepted, X509_STORE_CTX *chain) {
  look(is_accepted, chain);
  return is_accepted;
}

/* libcurl has set up the connection, and starts its handshake after this. */
static CURLcode connection_begins(CURL *handle, void *context, void *given) {
  (void)handle;
  struct shim_curl_witness *witness = given;
  /* Whatever else decides there keeps its place. */
  if (library.SSL_CTX_get_verify_callback(context) != NULL) return CURLE_OK;
  struct sight *sight = calloc(1, sizeof *sight);
  if (sight == NULL) return CURLE_OK;
  atomic_init(&sight->holders, 1);
  if (!library.SSL_CTX_set_ex_data(context, place, sight)) {
    let_go(sight);
    return CURLE_OK;
  }
  atomic_fetch_add(&sight->holders, 1);
  let_go(witness->sight);
  witness->sight = sight;
  library.SSL_CTX_set_verify(context, library.SSL_CTX_get_verify_mode(context), observe);
  return CURLE_OK;
}

shim_curl_witness *shim_curl_witness_new(void) {
  pthread_once(&once, load);
  return is_ready ? calloc(1, sizeof(struct shim_curl_witness)) : NULL;
}

void shim_curl_witness_forget(shim_curl_witness *witness) {
  if (witness == NULL) return;
  let_go(witness->sight);
  witness->sight = NULL;
}

void shim_curl_witness_free(shim_curl_witness *witness) {
  shim_curl_witness_forget(witness);
  free(witness);
}

void shim_curl_set_witness(CURL *handle, shim_curl_witness *witness) {
  if (witness == NULL) return;
  if (shim_curl_set_tls_callback(handle, connection_begins) == CURLE_OK)
    shim_curl_set_pointer(handle, CURLOPT_SSL_CTX_DATA, witness);
}

static long long seconds(const ASN1_TIME *time) {
  struct tm parts;
  memset(&parts, 0, sizeof parts);
  if (time == NULL || !library.ASN1_TIME_to_tm(time, &parts)) return shim_curl_no_time;
  return timegm(&parts);
}

int shim_curl_seen(const shim_curl_witness *witness, struct shim_curl_certificate *found) {
  const struct sight *sight = witness == NULL ? NULL : witness->sight;
  if (sight == NULL || sight->certificate == NULL) return 0;
  found->error = sight->error;
  found->depth = sight->depth;
  found->not_before = seconds(library.X509_get0_notBefore(sight->certificate));
  found->not_after = seconds(library.X509_get0_notAfter(sight->certificate));
  return 1;
}

/* Whether the bytes are a name that a message may show: letters, digits, and the signs of a host with `*`. */
static int is_host(const unsigned char *bytes, int count) {
  static const char signs[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._*";
  if (bytes == NULL || count < 1 || count > 253) return 0;
  for (int index = 0; index < count; index++)
    if (bytes[index] == 0 || strchr(signs, bytes[index]) == NULL) return 0;
  return 1;
}

static size_t show(const GENERAL_NAME *name, char *text, size_t room) {
  if (name->type != GEN_DNS && name->type != GEN_IPADD) return 0;
  const unsigned char *bytes = library.ASN1_STRING_get0_data(name->d.ia5);
  int count = library.ASN1_STRING_length(name->d.ia5);
  if (name->type == GEN_DNS) {
    if (!is_host(bytes, count) || (size_t)count >= room) return 0;
    memcpy(text, bytes, (size_t)count);
    text[count] = 0;
  } else {
    int family = count == 4 ? AF_INET : count == 16 ? AF_INET6 : AF_UNSPEC;
    if (family == AF_UNSPEC || inet_ntop(family, bytes, text, (socklen_t)room) == NULL) return 0;
  }
  return strlen(text);
}

int shim_curl_seen_host(const shim_curl_witness *witness, int number, char *text, size_t room) {
  const struct sight *sight = witness == NULL ? NULL : witness->sight;
  if (sight == NULL || sight->certificate == NULL) return 0;
  GENERAL_NAMES *names = library.X509_get_ext_d2i(sight->certificate, NID_subject_alt_name, NULL, NULL);
  const OPENSSL_STACK *stack = (const OPENSSL_STACK *)names;
  int is_found = 0;
  for (int index = 0, count = names ? library.OPENSSL_sk_num(stack) : 0; index < count && !is_found; index++)
    is_found = show(library.OPENSSL_sk_value(stack, index), text, room) > 0 && number-- == 0;
  if (names != NULL) library.GENERAL_NAMES_free(names);
  return is_found;
}
