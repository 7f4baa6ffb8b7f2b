#pragma once
#include <stddef.h>
#include <sys/types.h>

/* The desktop's keyring by libsecret and GIO, for programs that are not linked to them. */

/* Loads the libraries by the first call. Returns whether they are installed; only then may the others be called. */
int shim_secret_load(void);

/* What the loader said of libsecret or one of GLib's libraries that is there and could not be loaded; NULL if it is not
   installed. */
const char *shim_secret_refusal(void);

/* The kinds of problems. */
enum shim_problem {
  SHIM_FINE = 0,
  SHIM_CANCELLED,
  SHIM_NO_BUS,
  SHIM_NO_SERVICE,
  SHIM_LOCKED,
  SHIM_NO_OBJECT,
  SHIM_NO_ANSWER,
  SHIM_OTHER
};

/* Ends the waiting of a call, from any thread: a GCancellable. */
typedef struct shim_stop shim_stop;
shim_stop *shim_stop_new(void);
void shim_stop_now(shim_stop *stop);
void shim_stop_free(shim_stop *stop);

/* One connection to one bus, with one session of the service. Used by one thread at a time, between shim_enter and
   shim_leave. */
typedef struct shim_ring shim_ring;
shim_ring *shim_ring_new(void);

/* Closes the connection, if there is one. */
void shim_close(shim_ring *ring);

void shim_enter(shim_ring *ring, shim_stop *stop);
void shim_leave(shim_ring *ring);

/* Forgets the stop of the last call. */
void shim_rest(shim_ring *ring);

/* The problem of the last call that failed. */
int shim_last_problem(const shim_ring *ring);

/* Connects. This never starts a bus, but the bus may start the service by its own rules. */
int shim_open(shim_ring *ring, const char *address);

/* Opens a session with the service, encrypted if the service supports it. */
int shim_begin(shim_ring *ring);

/* Returns whether the service is still the one with which the session was opened. */
int shim_is_usable(shim_ring *ring);

int shim_is_closed(shim_ring *ring);

/* Returns the path of the default collection, to be freed; NULL with SHIM_FINE if there is none. */
char *shim_default(shim_ring *ring);

/* Returns whether the collection is locked, or -1 with the problem noted. */
int shim_is_locked(shim_ring *ring, const char *path);

/* Returns the paths of the items with these attributes, to be freed with shim_free_all. Searches without a schema, so
   that locked items are found too. */
int shim_search(shim_ring *ring, const char *const *pairs, int count, char ***open, char ***locked);

/* Returns the item's secret, to be freed with shim_secret_free; NULL with the problem noted. A service omits from
   its answer an item that is gone. */
typedef struct shim_secret_value shim_secret_value;
shim_secret_value *shim_secret(shim_ring *ring, const char *path);
const char *shim_secret_bytes(shim_secret_value *value, size_t *count);
void shim_secret_free(shim_secret_value *value);

/* Makes an item, or replaces the one with the same attributes. */
int shim_put(shim_ring *ring, const char *collection, const char *label, const char *const *pairs, int count,
             const char *text, ssize_t length);

int shim_delete(shim_ring *ring, const char *path);

/* Unlocks the collection with the service's own prompt; libsecret listens for the prompt's end before it shows it.
   Returns 1 if the collection is open, 0 if the person said no, -1 with the problem noted. */
int shim_unlock(shim_ring *ring, const char *collection);

void shim_free(char *text);
void shim_free_all(char **texts);
