#pragma once
/* The functions of GLib, GIO and libsecret that secret.c calls, loaded when they are first needed. */
#include <CLibrary.h>
/* libsecret's calls by object path, which it calls unstable, but has not changed since 2012. Only these neither prompt
   before they are told to, nor share one service in the whole process. */
#ifndef SECRET_API_SUBJECT_TO_CHANGE
#define SECRET_API_SUBJECT_TO_CHANGE 1
#endif
#include <gio/gio.h>
#include <libsecret/secret.h>
#include <pthread.h>

#define GLIB_FUNCTIONS(X)                                                                                              \
  X(g_error_free)                                                                                                      \
  X(g_error_matches)                                                                                                   \
  X(g_free)                                                                                                            \
  X(g_hash_table_insert)                                                                                               \
  X(g_hash_table_new_full)                                                                                             \
  X(g_hash_table_unref)                                                                                                \
  X(g_main_context_iteration)                                                                                          \
  X(g_main_context_new)                                                                                                \
  X(g_main_context_pop_thread_default)                                                                                 \
  X(g_main_context_push_thread_default)                                                                                \
  X(g_main_context_unref)                                                                                              \
  X(g_strdup)                                                                                                          \
  X(g_strfreev)                                                                                                        \
  X(g_str_hash)                                                                                                        \
  X(g_str_equal)                                                                                                       \
  X(g_variant_builder_add)                                                                                             \
  X(g_variant_builder_end)                                                                                             \
  X(g_variant_builder_init)                                                                                            \
  X(g_variant_get)                                                                                                     \
  X(g_variant_get_boolean)                                                                                             \
  X(g_variant_is_of_type)                                                                                              \
  X(g_variant_new)                                                                                                     \
  X(g_variant_new_string)                                                                                              \
  X(g_variant_type_checked_)                                                                                           \
  X(g_variant_ref_sink)                                                                                                \
  X(g_variant_unref)

#define GOBJECT_FUNCTIONS(X)                                                                                           \
  X(g_object_unref)                                                                                                    \
  X(g_type_class_ref)                                                                                                  \
  X(g_type_register_static_simple)

#define GIO_FUNCTIONS(X)                                                                                               \
  X(g_cancellable_new)                                                                                                 \
  X(g_cancellable_cancel)                                                                                              \
  X(g_cancellable_is_cancelled)                                                                                        \
  X(g_dbus_connection_call_sync)                                                                                       \
  X(g_dbus_connection_close_sync)                                                                                      \
  X(g_dbus_connection_is_closed)                                                                                       \
  X(g_dbus_connection_new_for_address_sync)                                                                            \
  X(g_dbus_connection_set_exit_on_close)                                                                               \
  X(g_dbus_error_get_remote_error)                                                                                     \
  X(g_dbus_error_quark)                                                                                                \
  X(g_dbus_proxy_get_type)                                                                                             \
  X(g_initable_new)                                                                                                    \
  X(g_io_error_quark)

#define SECRET_FUNCTIONS(X)                                                                                            \
  X(secret_error_get_quark)                                                                                            \
  X(secret_service_create_item_dbus_path_sync)                                                                         \
  X(secret_service_delete_item_dbus_path_sync)                                                                         \
  X(secret_service_get_secret_for_dbus_path_sync)                                                                      \
  X(secret_service_get_type)                                                                                           \
  X(secret_service_read_alias_dbus_path_sync)                                                                          \
  X(secret_service_search_for_dbus_paths_sync)                                                                         \
  X(secret_service_unlock_dbus_paths_sync)                                                                             \
  X(secret_value_get)                                                                                                  \
  X(secret_value_new)                                                                                                  \
  X(secret_value_unref)

/* The types are those of the headers, so a call that does not fit does not compile. */
static struct {
#define X(name) __typeof__(name) *name;
  GLIB_FUNCTIONS(X)
  GOBJECT_FUNCTIONS(X)
  GIO_FUNCTIONS(X)
  SECRET_FUNCTIONS(X)
#undef X
} library;

static int is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
#define X(name) {#name, &library.name},
  const struct latchkey_function glib[] = {GLIB_FUNCTIONS(X)};
  const struct latchkey_function gobject[] = {GOBJECT_FUNCTIONS(X)};
  const struct latchkey_function gio[] = {GIO_FUNCTIONS(X)};
  const struct latchkey_function secret[] = {SECRET_FUNCTIONS(X)};
#undef X
  is_loaded = latchkey_library_load("libglib-2.0.so.0", glib, sizeof glib / sizeof *glib) &&
              latchkey_library_load("libgobject-2.0.so.0", gobject, sizeof gobject / sizeof *gobject) &&
              latchkey_library_load("libgio-2.0.so.0", gio, sizeof gio / sizeof *gio) &&
              latchkey_library_load("libsecret-1.so.0", secret, sizeof secret / sizeof *secret);
}

/* From here on each name means the function that was loaded, also inside the headers' macros. Some of the names are
   macros themselves. A name that is missing here is an undefined symbol for the linker. */
#undef g_error_free
#define g_error_free library.g_error_free
#undef g_error_matches
#define g_error_matches library.g_error_matches
#undef g_free
#define g_free library.g_free
#undef g_hash_table_insert
#define g_hash_table_insert library.g_hash_table_insert
#undef g_hash_table_new_full
#define g_hash_table_new_full library.g_hash_table_new_full
#undef g_hash_table_unref
#define g_hash_table_unref library.g_hash_table_unref
#undef g_main_context_iteration
#define g_main_context_iteration library.g_main_context_iteration
#undef g_main_context_new
#define g_main_context_new library.g_main_context_new
#undef g_main_context_pop_thread_default
#define g_main_context_pop_thread_default library.g_main_context_pop_thread_default
#undef g_main_context_push_thread_default
#define g_main_context_push_thread_default library.g_main_context_push_thread_default
#undef g_main_context_unref
#define g_main_context_unref library.g_main_context_unref
#undef g_strdup
#define g_strdup library.g_strdup
#undef g_strfreev
#define g_strfreev library.g_strfreev
#undef g_str_hash
#define g_str_hash library.g_str_hash
#undef g_str_equal
#define g_str_equal library.g_str_equal
#undef g_variant_builder_add
#define g_variant_builder_add library.g_variant_builder_add
#undef g_variant_builder_end
#define g_variant_builder_end library.g_variant_builder_end
#undef g_variant_builder_init
#define g_variant_builder_init library.g_variant_builder_init
#undef g_variant_get
#define g_variant_get library.g_variant_get
#undef g_variant_get_boolean
#define g_variant_get_boolean library.g_variant_get_boolean
#undef g_variant_is_of_type
#define g_variant_is_of_type library.g_variant_is_of_type
#undef g_variant_new
#define g_variant_new library.g_variant_new
#undef g_variant_new_string
#define g_variant_new_string library.g_variant_new_string
#undef g_variant_ref_sink
#define g_variant_ref_sink library.g_variant_ref_sink
#undef g_variant_type_checked_
#define g_variant_type_checked_ library.g_variant_type_checked_
#undef g_variant_unref
#define g_variant_unref library.g_variant_unref
#undef g_object_unref
#define g_object_unref library.g_object_unref
#undef g_type_class_ref
#define g_type_class_ref library.g_type_class_ref
#undef g_type_register_static_simple
#define g_type_register_static_simple library.g_type_register_static_simple
#undef g_cancellable_new
#define g_cancellable_new library.g_cancellable_new
#undef g_cancellable_cancel
#define g_cancellable_cancel library.g_cancellable_cancel
#undef g_cancellable_is_cancelled
#define g_cancellable_is_cancelled library.g_cancellable_is_cancelled
#undef g_dbus_connection_call_sync
#define g_dbus_connection_call_sync library.g_dbus_connection_call_sync
#undef g_dbus_connection_close_sync
#define g_dbus_connection_close_sync library.g_dbus_connection_close_sync
#undef g_dbus_connection_is_closed
#define g_dbus_connection_is_closed library.g_dbus_connection_is_closed
#undef g_dbus_connection_new_for_address_sync
#define g_dbus_connection_new_for_address_sync library.g_dbus_connection_new_for_address_sync
#undef g_dbus_connection_set_exit_on_close
#define g_dbus_connection_set_exit_on_close library.g_dbus_connection_set_exit_on_close
#undef g_dbus_error_get_remote_error
#define g_dbus_error_get_remote_error library.g_dbus_error_get_remote_error
#undef g_dbus_error_quark
#define g_dbus_error_quark library.g_dbus_error_quark
#undef g_dbus_proxy_get_type
#define g_dbus_proxy_get_type library.g_dbus_proxy_get_type
#undef g_initable_new
#define g_initable_new library.g_initable_new
#undef g_io_error_quark
#define g_io_error_quark library.g_io_error_quark
#undef secret_error_get_quark
#define secret_error_get_quark library.secret_error_get_quark
#undef secret_service_create_item_dbus_path_sync
#define secret_service_create_item_dbus_path_sync library.secret_service_create_item_dbus_path_sync
#undef secret_service_delete_item_dbus_path_sync
#define secret_service_delete_item_dbus_path_sync library.secret_service_delete_item_dbus_path_sync
#undef secret_service_get_secret_for_dbus_path_sync
#define secret_service_get_secret_for_dbus_path_sync library.secret_service_get_secret_for_dbus_path_sync
#undef secret_service_get_type
#define secret_service_get_type library.secret_service_get_type
#undef secret_service_read_alias_dbus_path_sync
#define secret_service_read_alias_dbus_path_sync library.secret_service_read_alias_dbus_path_sync
#undef secret_service_search_for_dbus_paths_sync
#define secret_service_search_for_dbus_paths_sync library.secret_service_search_for_dbus_paths_sync
#undef secret_service_unlock_dbus_paths_sync
#define secret_service_unlock_dbus_paths_sync library.secret_service_unlock_dbus_paths_sync
#undef secret_value_get
#define secret_value_get library.secret_value_get
#undef secret_value_new
#define secret_value_new library.secret_value_new
#undef secret_value_unref
#define secret_value_unref library.secret_value_unref

