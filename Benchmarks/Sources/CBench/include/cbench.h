#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the allocations of the whole process so far: calls of malloc and its kin. */
uint64_t cb_allocations(void);
/* Returns the heap bytes taken minus those freed since the first call of this function, headers of blocks included.
   */
int64_t cb_heap_bytes(void);
/* Returns nanoseconds of CLOCK_MONOTONIC, for measuring. */
uint64_t cb_nanoseconds(void);
/* Returns nanoseconds of processor time of all threads of the process so far, including time in the kernel. */
uint64_t cb_processor_nanoseconds(void);

/* Starts a server on 127.0.0.1 that answers every request with 200 and `body` bytes of JSON, after `delay`
   microseconds. It keeps connections open. Returns its port, or 0 if it cannot start; it runs until the process
   ends. */
uint16_t cb_server_start(size_t body, unsigned delay);
/* Returns the number of requests answered so far by all servers. */
uint64_t cb_server_answered(void);
/* Copies the latest answered request, at most `room` bytes, and returns its length. */
size_t cb_server_last_request(uint8_t *bytes, size_t room);

/* A plain libcurl loop with the options of Latchkey's transport: `width` requests at a time, on kept connections,
   driven by the calling thread. */
typedef struct cb_curl cb_curl;
cb_curl *cb_curl_open(const char *url, int width);
/* The same with one POST at a time, with these header lines (ended by NULL) and this body: over a kept connection,
   or each over a new one, as the transport sends requests that use up a credential. */
cb_curl *cb_curl_open_post(
    const char *url, const char *const lines[], const uint8_t *body, size_t length, const char *ca_file, bool keeps
);
/* Sends `count` requests. Returns 0 if each was answered with 200. */
int cb_curl_run(cb_curl *loop, int count);
void cb_curl_close(cb_curl *loop);

/* One signature check on contexts that are made once. */
typedef struct cb_verifier cb_verifier;
cb_verifier *cb_verifier_open(
  const char *public_key_pem, const uint8_t *message, size_t message_length, const uint8_t *signature,
  size_t signature_length);
int cb_verify(cb_verifier *verifier, int count);
void cb_verifier_close(cb_verifier *verifier);

/* Writes `bytes` to a new file, flushes it, renames it over `name` and flushes the directory. Returns 0 on success.
   */
int cb_commit(const char *directory, const char *name, const uint8_t *bytes, size_t count);

/* Removes a directory with everything in it. */
void cb_remove_tree(const char *path);

/* Runs a program to its end and drops its output. Returns the exit code, or -1 if it did not start. */
int cb_run(const char *path, char *const arguments[], char *const environment[]);

/* Starts a program with its output in a new file. It ends with this process at the latest. Returns -1 on failure.
   */
int cb_start(const char *path, char *const arguments[], char *const environment[], const char *output);
/* Ends the program. */
void cb_stop(int child);

/* Reads a file and decrypts it, AES-256-GCM with the tag at the end. Returns 0 on success. */
int cb_read_sealed(const char *path, const uint8_t *key, const uint8_t *nonce);
