// SPDX-License-Identifier: Apache-2.0

// Runs statements until its input ends. Prints `ok` if all is right.
package main

import (
	"database/sql"
	"fmt"
	"io"
	"os"

	_ "github.com/mattn/go-sqlite3"
)

func main() {
	database, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		panic(err)
	}
	database.SetMaxOpenConns(1)
	if _, err := database.Exec("CREATE TABLE t(a)"); err != nil {
		panic(err)
	}
	over := make(chan bool)
	go func() {
		io.Copy(io.Discard, os.Stdin)
		close(over)
	}()
	fmt.Println("ready")
	inserted, count := 0, 0
	for isOver := false; !isOver; {
		select {
		case <-over:
			isOver = true
		default:
			if _, err := database.Exec("INSERT INTO t VALUES(?)", inserted); err == nil {
				inserted++
			}
		}
	}
	database.QueryRow("SELECT count(*) FROM t").Scan(&count)
	if count == inserted {
		fmt.Println("ok")
	} else {
		fmt.Println("failed", count, inserted)
	}
}
