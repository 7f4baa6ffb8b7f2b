#pragma once
#include <sqlite3.h>

/* SQLITE_TRANSIENT is a cast number, which Swift does not import. */
static inline int shim_sqlite_bind_text(sqlite3_stmt *statement, int place, const char *text) {
  return sqlite3_bind_text(statement, place, text, -1, SQLITE_TRANSIENT);
}
