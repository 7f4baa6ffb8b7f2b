#pragma once
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

/* libcrypto's functions, for programs that are not linked to it. */
#define LATCHKEY_OPENSSL_FUNCTIONS(X)                                                                                  \
  X(BIO_free)                                                                                                          \
  X(BIO_new)                                                                                                           \
  X(BIO_new_mem_buf)                                                                                                   \
  X(BIO_read)                                                                                                          \
  X(BIO_s_secmem)                                                                                                      \
  X(BN_bin2bn)                                                                                                         \
  X(BN_bn2binpad)                                                                                                      \
  X(BN_cmp)                                                                                                            \
  X(BN_free)                                                                                                           \
  X(BN_is_zero)                                                                                                        \
  X(BN_num_bits)                                                                                                       \
  X(CRYPTO_free)                                                                                                       \
  X(CRYPTO_memcmp)                                                                                                     \
  X(ECDSA_SIG_free)                                                                                                    \
  X(ECDSA_SIG_get0_r)                                                                                                  \
  X(ECDSA_SIG_get0_s)                                                                                                  \
  X(ECDSA_SIG_new)                                                                                                     \
  X(ECDSA_SIG_set0)                                                                                                    \
  X(EC_GROUP_get0_order)                                                                                               \
  X(EC_GROUP_new_by_curve_name)                                                                                        \
  X(ERR_clear_error)                                                                                                   \
  X(EVP_CIPHER_CTX_ctrl)                                                                                               \
  X(EVP_CIPHER_CTX_free)                                                                                               \
  X(EVP_CIPHER_CTX_new)                                                                                                \
  X(EVP_CIPHER_fetch)                                                                                                  \
  X(EVP_DecryptFinal_ex)                                                                                               \
  X(EVP_DecryptInit_ex2)                                                                                               \
  X(EVP_DecryptUpdate)                                                                                                 \
  X(EVP_Digest)                                                                                                        \
  X(EVP_DigestSign)                                                                                                    \
  X(EVP_DigestSignInit)                                                                                                \
  X(EVP_DigestVerify)                                                                                                  \
  X(EVP_DigestVerifyInit)                                                                                              \
  X(EVP_EncryptFinal_ex)                                                                                               \
  X(EVP_EncryptInit_ex2)                                                                                               \
  X(EVP_EncryptUpdate)                                                                                                 \
  X(EVP_MAC_CTX_dup)                                                                                                   \
  X(EVP_MAC_CTX_free)                                                                                                  \
  X(EVP_MAC_CTX_new)                                                                                                   \
  X(EVP_MAC_CTX_set_params)                                                                                            \
  X(EVP_MAC_fetch)                                                                                                     \
  X(EVP_MAC_final)                                                                                                     \
  X(EVP_MAC_init)                                                                                                      \
  X(EVP_MAC_update)                                                                                                    \
  X(EVP_MD_CTX_copy_ex)                                                                                                \
  X(EVP_MD_CTX_free)                                                                                                   \
  X(EVP_MD_CTX_new)                                                                                                    \
  X(EVP_MD_fetch)                                                                                                      \
  X(EVP_PBE_scrypt)                                                                                                    \
  X(EVP_PKEY_CTX_free)                                                                                                 \
  X(EVP_PKEY_CTX_new_from_name)                                                                                        \
  X(EVP_PKEY_CTX_new_from_pkey)                                                                                        \
  X(EVP_PKEY_CTX_set_group_name)                                                                                       \
  X(EVP_PKEY_CTX_set_rsa_keygen_bits)                                                                                  \
  X(EVP_PKEY_CTX_set_rsa_mgf1_md)                                                                                      \
  X(EVP_PKEY_CTX_set_rsa_padding)                                                                                      \
  X(EVP_PKEY_CTX_set_rsa_pss_saltlen)                                                                                  \
  X(EVP_PKEY_CTX_set_signature_md)                                                                                     \
  X(EVP_PKEY_free)                                                                                                     \
  X(EVP_PKEY_fromdata)                                                                                                 \
  X(EVP_PKEY_fromdata_init)                                                                                            \
  X(EVP_PKEY_generate)                                                                                                 \
  X(EVP_PKEY_get_base_id)                                                                                              \
  X(EVP_PKEY_get_bits)                                                                                                 \
  X(EVP_PKEY_get_bn_param)                                                                                             \
  X(EVP_PKEY_get_group_name)                                                                                           \
  X(EVP_PKEY_get_int_param)                                                                                            \
  X(EVP_PKEY_get_raw_public_key)                                                                                       \
  X(EVP_PKEY_get_size)                                                                                                 \
  X(EVP_PKEY_keygen_init)                                                                                              \
  X(EVP_PKEY_new_raw_public_key_ex)                                                                                    \
  X(EVP_PKEY_sign)                                                                                                     \
  X(EVP_PKEY_sign_init)                                                                                                \
  X(EVP_PKEY_verify)                                                                                                   \
  X(EVP_PKEY_verify_init)                                                                                              \
  X(OBJ_sn2nid)                                                                                                        \
  X(OPENSSL_cleanse)                                                                                                   \
  X(OSSL_PARAM_BLD_free)                                                                                               \
  X(OSSL_PARAM_BLD_new)                                                                                                \
  X(OSSL_PARAM_BLD_push_BN)                                                                                            \
  X(OSSL_PARAM_BLD_push_octet_string)                                                                                  \
  X(OSSL_PARAM_BLD_push_utf8_string)                                                                                   \
  X(OSSL_PARAM_BLD_to_param)                                                                                           \
  X(OSSL_PARAM_construct_end)                                                                                          \
  X(OSSL_PARAM_construct_utf8_string)                                                                                  \
  X(OSSL_PARAM_free)                                                                                                   \
  X(PEM_read_bio_PUBKEY)                                                                                               \
  X(PEM_read_bio_PrivateKey)                                                                                           \
  X(PEM_read_bio_X509)                                                                                                 \
  X(PEM_write_bio_PKCS8PrivateKey)                                                                                     \
  X(PEM_write_bio_PUBKEY)                                                                                              \
  X(RAND_bytes)                                                                                                        \
  X(X509_free)                                                                                                         \
  X(X509_get_X509_PUBKEY)                                                                                              \
  X(d2i_ECDSA_SIG)                                                                                                     \
  X(d2i_PUBKEY)                                                                                                        \
  X(i2d_ECDSA_SIG)                                                                                                     \
  X(i2d_PUBKEY)                                                                                                        \
  X(i2d_X509_PUBKEY)

/* The types are those of the headers, so a call that does not fit does not compile. */
struct latchkey_openssl {
#define X(name) __typeof__(name) *name;
  LATCHKEY_OPENSSL_FUNCTIONS(X)
#undef X
};

#define LATCHKEY_OPENSSL_TEXT_OF(value) #value
#define LATCHKEY_OPENSSL_TEXT(value) LATCHKEY_OPENSSL_TEXT_OF(value)
#if defined(__APPLE__)
#define LATCHKEY_OPENSSL_LIBRARY "libcrypto." LATCHKEY_OPENSSL_TEXT(OPENSSL_SHLIB_VERSION) ".dylib"
#else
#define LATCHKEY_OPENSSL_LIBRARY "libcrypto.so." LATCHKEY_OPENSSL_TEXT(OPENSSL_SHLIB_VERSION)
#endif
#define LATCHKEY_OPENSSL_PACKAGE "libssl" LATCHKEY_OPENSSL_TEXT(OPENSSL_SHLIB_VERSION)

/* Loads libcrypto by the first call. Returns whether it is installed. */
int latchkey_openssl_load(void);

/* The library's file, and the Debian package that has it. */
const char *latchkey_openssl_library(void);

/* What the loader said of the library if it is there and could not be loaded; NULL if it is not installed. */
const char *latchkey_openssl_refusal(void);
const char *latchkey_openssl_package(void);

/* Loads libcrypto by the first call, and returns its functions. A program without it has no result that could be
   right, so this ends the program, with a line that says what to install; whoever can do better calls
   latchkey_openssl_load first. */
const struct latchkey_openssl *latchkey_openssl_functions(void);

/* SHA-256 without any setup; SHA256() itself goes through the providers. */
void latchkey_openssl_sha256(const void *bytes, size_t count, unsigned char *digest);
