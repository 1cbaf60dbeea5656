# SPDX-License-Identifier: Apache-2.0
require "sqlite3"

# The driver asks for the encoding first.
statements = rows = 1
database = SQLite3::Database.new(":memory:")
database.execute("CREATE TABLE t(a, b)")
20.times { |number| database.execute("INSERT INTO t VALUES(?, ?)", [number, number.to_s]) }
statements += 21
rows += database.execute("SELECT * FROM t WHERE a > 4").size
database.prepare("SELECT a FROM t WHERE a < ?") do |statement|
  [3, 6].each { |limit| rows += statement.execute(limit).to_a.size }
end
database.execute_batch("BEGIN; DELETE FROM t; COMMIT;")
statements += 6
database.close
puts "counts #{statements} #{rows}"
