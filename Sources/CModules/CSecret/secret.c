/* Without the trait there are no headers of libsecret, and nothing of this is built. */
#if __has_include(<libsecret/secret.h>)
#include "CSecret.h"

#include "functions.h"
#include <stdlib.h>
#include <string.h>

int shim_secret_load(void) {
  pthread_once(&once, load);
  return is_loaded;
}

const char *shim_secret_refusal(void) {
  static const char *const names[] = {"libglib-2.0.so.0", "libgobject-2.0.so.0", "libgio-2.0.so.0", "libsecret-1.so.0"};
  for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
    const char *words = latchkey_library_refusal(names[index]);
    if (words != NULL) return words;
  }
  return NULL;
}

struct shim_ring {
  GMainContext *context;
  GDBusConnection *bus;
  SecretService *service;
  char *owner;
  GCancellable *cancel;
  int problem;
};

shim_stop *shim_stop_new(void) { return (shim_stop *)g_cancellable_new(); }

void shim_stop_now(shim_stop *stop) { g_cancellable_cancel((GCancellable *)stop); }

void shim_stop_free(shim_stop *stop) { g_object_unref(stop); }

shim_ring *shim_ring_new(void) { return calloc(1, sizeof(shim_ring)); }

void shim_rest(shim_ring *ring) { ring->cancel = NULL; }

int shim_last_problem(const shim_ring *ring) { return ring->problem; }

void shim_free(char *text) { g_free(text); }

void shim_free_all(char **texts) { g_strfreev(texts); }

const char *shim_secret_bytes(shim_secret_value *value, size_t *count) {
  gsize length = 0;
  const char *bytes = secret_value_get((SecretValue *)value, &length);
  *count = length;
  return bytes;
}

void shim_secret_free(shim_secret_value *value) { secret_value_unref((SecretValue *)value); }

static int shim_note(shim_ring *ring, GError *error) {
  int problem = SHIM_OTHER;
  if (error == NULL) {
    problem = SHIM_OTHER;
  } else if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    problem = SHIM_CANCELLED;
  } else if (error->domain == SECRET_ERROR && error->code == SECRET_ERROR_IS_LOCKED) {
    problem = SHIM_LOCKED;
  } else if (error->domain == SECRET_ERROR && error->code == SECRET_ERROR_NO_SUCH_OBJECT) {
    problem = SHIM_NO_OBJECT;
  } else if (error->domain == G_DBUS_ERROR) {
    switch (error->code) {
    case G_DBUS_ERROR_SERVICE_UNKNOWN:
    case G_DBUS_ERROR_NAME_HAS_NO_OWNER:
    case G_DBUS_ERROR_SPAWN_EXEC_FAILED:
    case G_DBUS_ERROR_SPAWN_CHILD_EXITED:
    case G_DBUS_ERROR_SPAWN_CHILD_SIGNALED:
    case G_DBUS_ERROR_SPAWN_FAILED:
    case G_DBUS_ERROR_SPAWN_SERVICE_NOT_FOUND:
      problem = SHIM_NO_SERVICE;
      break;
    case G_DBUS_ERROR_UNKNOWN_OBJECT:
    case G_DBUS_ERROR_UNKNOWN_METHOD:
      problem = SHIM_NO_OBJECT;
      break;
    case G_DBUS_ERROR_NO_REPLY:
    case G_DBUS_ERROR_TIMEOUT:
    case G_DBUS_ERROR_TIMED_OUT:
    case G_DBUS_ERROR_DISCONNECTED:
      problem = SHIM_NO_ANSWER;
      break;
    default:
      break;
    }
  } else if (error->domain == G_IO_ERROR &&
             (error->code == G_IO_ERROR_CLOSED || error->code == G_IO_ERROR_TIMED_OUT)) {
    problem = SHIM_NO_ANSWER;
  }
  if (error != NULL) {
    char *remote = g_dbus_error_get_remote_error(error);
    if (remote != NULL && strcmp(remote, "org.freedesktop.Secret.Error.IsLocked") == 0) problem = SHIM_LOCKED;
    if (remote != NULL && strcmp(remote, "org.freedesktop.Secret.Error.NoSuchObject") == 0) problem = SHIM_NO_OBJECT;
    g_free(remote);
    g_error_free(error);
  }
  ring->problem = problem;
  return problem;
}

void shim_enter(shim_ring *ring, shim_stop *stop) {
  if (ring->context == NULL) ring->context = g_main_context_new();
  ring->cancel = (GCancellable *)stop;
  g_main_context_push_thread_default(ring->context);
}

void shim_leave(shim_ring *ring) { g_main_context_pop_thread_default(ring->context); }

/* Connects. This never starts a bus, but the bus may start the service by its own rules. */
int shim_open(shim_ring *ring, const char *address) {
  GError *error = NULL;
  ring->bus = g_dbus_connection_new_for_address_sync(
      address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL,
      ring->cancel, &error);
  if (ring->bus == NULL) return shim_note(ring, error) == SHIM_CANCELLED ? SHIM_CANCELLED : SHIM_NO_BUS;
  /* Otherwise the end of the bus would end this process. */
  g_dbus_connection_set_exit_on_close(ring->bus, FALSE);
  return SHIM_FINE;
}

/* The constructor of SecretService always sets the process's session bus at the end. This subclass is constructed
   as any proxy is, so that it uses the given connection. */
static void shim_class_init(gpointer class_pointer, gpointer data) {
  (void)data;
  GObjectClass *proxy = g_type_class_ref(G_TYPE_DBUS_PROXY);
  ((GObjectClass *)class_pointer)->constructor = proxy->constructor;
}

static GType service_type;
static pthread_once_t service_once = PTHREAD_ONCE_INIT;

static void shim_register_service(void) {
  service_type = g_type_register_static_simple(SECRET_TYPE_SERVICE, "LatchkeySecretService",
                                               sizeof(SecretServiceClass), shim_class_init, sizeof(SecretService),
                                               NULL, (GTypeFlags)0);
}

/* Returns the owner of the service's name on the bus, to be freed; NULL if there is none, or the bus does not say.
   */
static char *shim_owner(shim_ring *ring) {
  GVariant *answer = g_dbus_connection_call_sync(
      ring->bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetNameOwner",
      g_variant_new("(s)", "org.freedesktop.secrets"), G_VARIANT_TYPE("(s)"), G_DBUS_CALL_FLAGS_NONE, -1, ring->cancel,
      NULL);
  char *owner = NULL;
  if (answer != NULL) {
    g_variant_get(answer, "(s)", &owner);
    g_variant_unref(answer);
  }
  return owner;
}

/* Returns whether the service is still the one with which the session was opened. */
int shim_is_usable(shim_ring *ring) {
  if (ring->owner == NULL || g_dbus_connection_is_closed(ring->bus)) return 0;
  char *owner = shim_owner(ring);
  int is_same = owner != NULL && strcmp(owner, ring->owner) == 0;
  g_free(owner);
  return is_same;
}

int shim_is_closed(shim_ring *ring) { return g_dbus_connection_is_closed(ring->bus); }

/* Opens a session with the service, encrypted if the service supports it. */
int shim_begin(shim_ring *ring) {
  pthread_once(&service_once, shim_register_service);
  GError *error = NULL;
  GDBusProxyFlags flags = G_DBUS_PROXY_FLAGS_DO_NOT_LOAD_PROPERTIES | G_DBUS_PROXY_FLAGS_DO_NOT_CONNECT_SIGNALS;
  ring->service = (SecretService *)g_initable_new(
      service_type, ring->cancel, &error, "g-connection", ring->bus, "g-flags", flags, "g-name",
      "org.freedesktop.secrets", "g-object-path", "/org/freedesktop/secrets", "g-interface-name",
      "org.freedesktop.Secret.Service", "flags", SECRET_SERVICE_OPEN_SESSION, NULL);
  if (ring->service == NULL) return shim_note(ring, error);
  ring->owner = shim_owner(ring);
  return SHIM_FINE;
}

/* Waits until the service has handled the call that was stopped, because gnome-keyring can crash if a client leaves
   the bus with a call under way. A service answers its calls in order, so it answers this one last. */
static void shim_settle(shim_ring *ring) {
  GVariant *answer = g_dbus_connection_call_sync(
      ring->bus, "org.freedesktop.secrets", "/org/freedesktop/secrets", "org.freedesktop.DBus.Properties", "Get",
      g_variant_new("(ss)", "org.freedesktop.Secret.Service", "Collections"), NULL, G_DBUS_CALL_FLAGS_NO_AUTO_START,
      -1, NULL, NULL);
  if (answer != NULL) g_variant_unref(answer);
}

void shim_close(shim_ring *ring) {
  if (ring->service != NULL) g_object_unref(ring->service);
  g_free(ring->owner);
  if (ring->bus != NULL) {
    if (g_cancellable_is_cancelled(ring->cancel)) shim_settle(ring);
    g_dbus_connection_close_sync(ring->bus, NULL, NULL);
    g_object_unref(ring->bus);
  }
  while (g_main_context_iteration(ring->context, FALSE)) {
  }
  g_main_context_unref(ring->context);
  free(ring);
}

/* Returns the path of the default collection, to be freed; NULL with SHIM_FINE if there is none. */
char *shim_default(shim_ring *ring) {
  GError *error = NULL;
  char *path = secret_service_read_alias_dbus_path_sync(ring->service, "default", ring->cancel, &error);
  ring->problem = SHIM_FINE;
  if (error != NULL) shim_note(ring, error);
  if (path != NULL && strcmp(path, "/") == 0) {
    g_free(path);
    path = NULL;
  }
  return path;
}

/* Returns whether the collection is locked, or -1 with the problem noted. */
int shim_is_locked(shim_ring *ring, const char *path) {
  GError *error = NULL;
  GVariant *answer = g_dbus_connection_call_sync(
      ring->bus, "org.freedesktop.secrets", path, "org.freedesktop.DBus.Properties", "Get",
      g_variant_new("(ss)", "org.freedesktop.Secret.Collection", "Locked"), G_VARIANT_TYPE("(v)"),
      G_DBUS_CALL_FLAGS_NONE, -1, ring->cancel, &error);
  if (answer == NULL) {
    shim_note(ring, error);
    return -1;
  }
  GVariant *value = NULL;
  g_variant_get(answer, "(v)", &value);
  int locked = g_variant_is_of_type(value, G_VARIANT_TYPE_BOOLEAN) ? g_variant_get_boolean(value) : 1;
  g_variant_unref(value);
  g_variant_unref(answer);
  return locked;
}

static GHashTable *shim_table(const char *const *pairs, int count) {
  GHashTable *table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  for (int index = 0; index < count; index++)
    g_hash_table_insert(table, g_strdup(pairs[2 * index]), g_strdup(pairs[2 * index + 1]));
  return table;
}

/* Returns the paths of the items with these attributes, to be freed with g_strfreev. Searches without a schema, so
   that locked items are found too. */
int shim_search(shim_ring *ring, const char *const *pairs, int count, char ***open, char ***locked) {
  GError *error = NULL;
  GHashTable *table = shim_table(pairs, count);
  gboolean is_fine = secret_service_search_for_dbus_paths_sync(ring->service, NULL, table, ring->cancel, open, locked,
                                                               &error);
  g_hash_table_unref(table);
  return is_fine ? SHIM_FINE : shim_note(ring, error);
}

/* Returns the item's secret, to be freed with secret_value_unref; NULL with the problem noted. A service omits from
   its answer an item that is gone. */
shim_secret_value *shim_secret(shim_ring *ring, const char *path) {
  GError *error = NULL;
  SecretValue *value = secret_service_get_secret_for_dbus_path_sync(ring->service, path, ring->cancel, &error);
  if (value == NULL && error == NULL) ring->problem = SHIM_NO_OBJECT;
  if (error != NULL) shim_note(ring, error);
  return (shim_secret_value *)value;
}

/* Makes an item, or replaces the one with the same attributes. */
int shim_put(shim_ring *ring, const char *collection, const char *label, const char *const *pairs,
                           int count, const char *text, ssize_t length) {
  GError *error = NULL;
  GVariantBuilder builder;
  g_variant_builder_init(&builder, G_VARIANT_TYPE("a{ss}"));
  for (int index = 0; index < count; index++)
    g_variant_builder_add(&builder, "{ss}", pairs[2 * index], pairs[2 * index + 1]);
  GHashTable *properties = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_variant_unref);
  g_hash_table_insert(properties, (gpointer) "org.freedesktop.Secret.Item.Label",
                      g_variant_ref_sink(g_variant_new_string(label)));
  g_hash_table_insert(properties, (gpointer) "org.freedesktop.Secret.Item.Attributes",
                      g_variant_ref_sink(g_variant_builder_end(&builder)));
  SecretValue *value = secret_value_new(text, length, "text/plain");
  char *path = secret_service_create_item_dbus_path_sync(ring->service, collection, properties, value,
                                                         SECRET_ITEM_CREATE_REPLACE, ring->cancel, &error);
  secret_value_unref(value);
  g_hash_table_unref(properties);
  if (path == NULL) return shim_note(ring, error);
  g_free(path);
  return SHIM_FINE;
}

int shim_delete(shim_ring *ring, const char *path) {
  GError *error = NULL;
  secret_service_delete_item_dbus_path_sync(ring->service, path, ring->cancel, &error);
  return error == NULL ? SHIM_FINE : shim_note(ring, error);
}

/* Unlocks the collection with the service's own prompt; libsecret listens for the prompt's end before it shows it.
   Returns 1 if the collection is open, 0 if the person said no, -1 with the problem noted. */
int shim_unlock(shim_ring *ring, const char *collection) {
  GError *error = NULL;
  const char *paths[] = {collection, NULL};
  gint count = secret_service_unlock_dbus_paths_sync(ring->service, paths, ring->cancel, NULL, &error);
  if (error != NULL) {
    shim_note(ring, error);
    return -1;
  }
  return count > 0;
}
#endif
