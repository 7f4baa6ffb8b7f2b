#define _GNU_SOURCE
#include "cbench.h"
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int cb_read_sealed(const char *path, const uint8_t *key, const uint8_t *nonce) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat found;
  if (file < 0 || fstat(file, &found) || found.st_size < 16) return 1;
  size_t size = (size_t)found.st_size, taken = 0;
  uint8_t *bytes = malloc(size), *plain = malloc(size);
  int failed = bytes == NULL || plain == NULL;
  while (!failed && taken < size) {
    ssize_t count = read(file, bytes + taken, size - taken);
    failed = count <= 0;
    taken += failed ? 0 : (size_t)count;
  }
  close(file);
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  int length = 0;
  failed = failed || context == NULL || !EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce)
    || !EVP_DecryptUpdate(context, plain, &length, bytes, (int)(size - 16))
    || !EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, 16, bytes + size - 16)
    || !EVP_DecryptFinal_ex(context, plain + length, &length);
  EVP_CIPHER_CTX_free(context);
  free(bytes);
  free(plain);
  return failed;
}
