// SPDX-License-Identifier: Apache-2.0

// With the usual driver, which calls SQLite by cgo.
package main

import (
	"database/sql"
	"fmt"

	_ "github.com/mattn/go-sqlite3"
)

var statements, rows int

func insert(database *sql.DB, number int) {
	if _, err := database.Exec("INSERT INTO t VALUES(?)", number); err != nil { // insert
		panic(err)
	}
	statements++
}

func main() {
	database, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		panic(err)
	}
	database.SetMaxOpenConns(1)
	database.Exec("CREATE TABLE t(a)") // create
	// The driver sets three PRAGMAs for each connection, and two of them return a row.
	statements, rows = 4, 2
	for number := 0; number < 20; number++ {
		insert(database, number)
	}
	list, err := database.Query("SELECT a FROM t WHERE a > ?", 4)
	for list.Next() { // list
		rows++
	}
	statements++
	done := make(chan bool)
	go func() {
		var count int
		for number := 0; number < 10; number++ {
			database.QueryRow("SELECT count(*) FROM t WHERE a > ?", number).Scan(&count) // count
			statements, rows = statements+1, rows+1
		}
		done <- true
	}()
	<-done
	database.Close()
	fmt.Println("counts", statements, rows)
}
