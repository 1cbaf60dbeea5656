#include <sqlite3.h>

// Swift cannot call sqlite3_db_config(), which has variable arguments.
static inline void CSQLite_distrust_schema(sqlite3 *connection) {
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}

static inline void CSQLite_disable_triggers(sqlite3 *connection) {
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
}
