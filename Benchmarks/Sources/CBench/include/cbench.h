#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Allocations of the whole process so far: calls of malloc and its kin. */
uint64_t cb_allocations(void);
/* Bytes taken on the heap, less those given back, since this was called first; each block with its header. */
int64_t cb_heap_bytes(void);
/* Nanoseconds of CLOCK_MONOTONIC, for measuring. */
uint64_t cb_nanoseconds(void);
/* Nanoseconds of processor time that all threads of the process took so far, in the kernel too. */
uint64_t cb_processor_nanoseconds(void);

/* A server on 127.0.0.1 that answers every request alike, 200 with `body` bytes of JSON, after `delay` microseconds.
   Connections are kept. Returns its port, 0 when it cannot start; runs until the process ends. */
uint16_t cb_server_start(size_t body, unsigned delay);
/* Requests answered so far, by all servers. */
uint64_t cb_server_answered(void);
/* The bytes of the request that was answered last: at most `room` of them are copied; how many they are. */
size_t cb_server_last_request(uint8_t *bytes, size_t room);

/* A bare libcurl loop with the options that Latchkey's transport sets: `width` requests under way at a time, on kept
   connections, driven by the calling thread. */
typedef struct cb_curl cb_curl;
cb_curl *cb_curl_open(const char *url, int width);
/* The same with one POST at a time, of these header lines (ended by NULL) and this body: over a connection that it keeps,
   or each on one of its own, as the transport sends what spends a credential. */
cb_curl *cb_curl_open_post(
    const char *url, const char *const lines[], const uint8_t *body, size_t length, const char *ca_file, bool keeps
);
/* `count` requests; 0 when each was answered with 200. */
int cb_curl_run(cb_curl *loop, int count);
void cb_curl_close(cb_curl *loop);

/* One signature check on contexts that are made once. */
typedef struct cb_verifier cb_verifier;
cb_verifier *cb_verifier_open(
  const char *public_key_pem, const uint8_t *message, size_t message_length, const uint8_t *signature,
  size_t signature_length);
int cb_verify(cb_verifier *verifier, int count);
void cb_verifier_close(cb_verifier *verifier);

/* Writes `bytes` to a new file, flushes it, renames it over `name` and flushes the directory. 0: done. */
int cb_commit(const char *directory, const char *name, const uint8_t *bytes, size_t count);

/* Removes a directory with all that is in it. */
void cb_remove_tree(const char *path);

/* Runs a program to its end with its output dropped; the exit code, -1 when it did not start. */
int cb_run(const char *path, char *const arguments[], char *const environment[]);

/* Starts a program with its output going to a new file; it ends with this process at the latest. -1 when it cannot. */
int cb_start(const char *path, char *const arguments[], char *const environment[], const char *output);
/* Ends it. */
void cb_stop(int child);

/* Reads a file and decrypts it, AES-256-GCM with its tag at the end. 0: done. */
int cb_read_sealed(const char *path, const uint8_t *key, const uint8_t *nonce);
