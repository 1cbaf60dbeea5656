# SPDX-License-Identifier: Apache-2.0
require "sqlite3"

statement = SQLite3::Database.new(":memory:").prepare("SELECT ?")
Integer(ARGV[1]).times do |number|
  statement.bind_param(1, number)
  statement.step
  statement.reset!
end
