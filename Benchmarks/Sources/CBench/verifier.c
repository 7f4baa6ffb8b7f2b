#include "cbench.h"
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <string.h>

struct cb_verifier {
  EVP_PKEY *key;
  EVP_MD *digest;
  EVP_PKEY_CTX *context;
  EVP_MD_CTX *whole;
  uint8_t *message, *signature;
  size_t message_length, signature_length;
};

/* The r and s of a JWS as libcrypto wants them. */
static void encode(cb_verifier *self, const uint8_t *raw, size_t length) {
  ECDSA_SIG *pair = ECDSA_SIG_new();
  ECDSA_SIG_set0(
    pair, BN_bin2bn(raw, (int)length / 2, NULL), BN_bin2bn(raw + length / 2, (int)length / 2, NULL));
  self->signature = NULL;
  self->signature_length = (size_t)i2d_ECDSA_SIG(pair, &self->signature);
  ECDSA_SIG_free(pair);
}

cb_verifier *cb_verifier_open(
  const char *pem, const uint8_t *message, size_t message_length, const uint8_t *signature, size_t signature_length) {
  cb_verifier *self = calloc(1, sizeof *self);
  BIO *text = BIO_new_mem_buf(pem, -1);
  self->key = PEM_read_bio_PUBKEY(text, NULL, NULL, NULL);
  BIO_free(text);
  if (!self->key) return NULL;
  self->message = malloc(message_length);
  memcpy(self->message, message, message_length);
  self->message_length = message_length;
  int kind = EVP_PKEY_get_base_id(self->key);
  if (kind == EVP_PKEY_EC) {
    encode(self, signature, signature_length);
  } else {
    self->signature = malloc(signature_length);
    memcpy(self->signature, signature, signature_length);
    self->signature_length = signature_length;
  }
  if (kind == EVP_PKEY_ED25519) {
    self->whole = EVP_MD_CTX_new();
    return EVP_DigestVerifyInit(self->whole, NULL, NULL, NULL, self->key) == 1 ? self : NULL;
  }
  self->digest = EVP_MD_fetch(NULL, "SHA256", NULL);
  self->context = EVP_PKEY_CTX_new_from_pkey(NULL, self->key, NULL);
  int ready = EVP_PKEY_verify_init(self->context) == 1
              && EVP_PKEY_CTX_set_signature_md(self->context, self->digest) == 1;
  if (kind == EVP_PKEY_RSA) ready = ready && EVP_PKEY_CTX_set_rsa_padding(self->context, RSA_PKCS1_PADDING) == 1;
  return ready ? self : NULL;
}

int cb_verify(cb_verifier *self, int count) {
  while (count--) {
    int answer;
    if (self->whole) {
      answer = EVP_DigestVerify(
        self->whole, self->signature, self->signature_length, self->message, self->message_length);
    } else {
      uint8_t hash[32];
      EVP_Digest(self->message, self->message_length, hash, NULL, self->digest, NULL);
      answer = EVP_PKEY_verify(self->context, self->signature, self->signature_length, hash, sizeof hash);
    }
    if (answer != 1) return 1;
  }
  return 0;
}

void cb_verifier_close(cb_verifier *self) {
  EVP_MD_CTX_free(self->whole);
  EVP_PKEY_CTX_free(self->context);
  EVP_MD_free(self->digest);
  EVP_PKEY_free(self->key);
  free(self->message);
  free(self->signature);
  free(self);
}
