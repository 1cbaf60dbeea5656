# SPDX-License-Identifier: Apache-2.0
package require sqlite3

set statements 0
set rows 0
sqlite3 db :memory:
db trace count
proc count {sql} {incr ::statements}
db eval {CREATE TABLE t(a, b)}
for {set number 0} {$number < 20} {incr number} {db eval {INSERT INTO t VALUES($number, 'x')}}
db transaction {db eval {SELECT * FROM t WHERE a > 4} values {incr rows}}
db close
puts "counts $statements $rows"
