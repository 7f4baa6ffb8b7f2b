#pragma once
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

#ifndef OPENSSL_NO_DEPRECATED_3_0
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
#endif

// SHA-256 without any setup; SHA256() itself goes through the providers. These functions are deprecated, but every
// libcrypto has them unless it was built without deprecated functions.
static inline void latchkey_sha256(const void *bytes, size_t count, unsigned char *digest) {
#ifdef OPENSSL_NO_DEPRECATED_3_0
  SHA256((const unsigned char *)bytes, count, digest);
#else
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, bytes, count);
  SHA256_Final(digest, &context);
#endif
}

#ifndef OPENSSL_NO_DEPRECATED_3_0
#pragma clang diagnostic pop
#endif
