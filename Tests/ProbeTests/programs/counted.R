# SPDX-License-Identifier: Apache-2.0
suppressPackageStartupMessages(library(RSQLite))

database <- dbConnect(SQLite(), ":memory:")
# The driver sets one PRAGMA for each connection.
statements <- 1
rows <- 0
invisible(dbExecute(database, "CREATE TABLE t(a, b)"))
for (number in 1:20) dbExecute(database, "INSERT INTO t VALUES(?, ?)", params = list(number, as.character(number)))
rows <- rows + nrow(dbGetQuery(database, "SELECT * FROM t WHERE a > 4"))
for (number in 1:10) rows <- rows + nrow(dbGetQuery(database, "SELECT a FROM t WHERE a < ?", params = list(number)))
statements <- statements + 32
dbWithTransaction(database, invisible(dbExecute(database, "DELETE FROM t WHERE a < 10")))
statements <- statements + 3
dbDisconnect(database)
cat("counts", statements, rows, "\n")
