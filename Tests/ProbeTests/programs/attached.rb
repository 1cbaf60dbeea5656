# SPDX-License-Identifier: Apache-2.0
# Runs statements until its input ends. Prints `ok` if all is right.
require 'sqlite3'

db = SQLite3::Database.new(':memory:')
db.execute('CREATE TABLE t(a)')
inserted = 0
puts 'ready'
$stdout.flush
until IO.select([$stdin], nil, nil, 0)
  db.execute('INSERT INTO t VALUES (?)', [inserted])
  inserted += 1
end
puts db.get_first_value('SELECT count(*) FROM t') == inserted ? 'ok' : 'failed'
