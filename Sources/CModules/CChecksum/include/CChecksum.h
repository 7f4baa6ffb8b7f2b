#pragma once
#include <stddef.h>
#include <stdint.h>

/* Writes the 32 bytes of SHA-256 (FIPS 180-4) over the bytes. Needs no library. Against accidents only: it is not made
   to hide what it hashes from whoever measures the time or reads the memory. */
void latchkey_sha256(const void *bytes, size_t count, uint8_t digest[32]);
