# SPDX-License-Identifier: Apache-2.0
# costs.rb point COUNT prints nanoseconds for each query.
require "sqlite3"

statement = SQLite3::Database.new(":memory:").prepare("SELECT ?")
point = lambda do |count|
  count.times do |number|
    statement.bind_param(1, number)
    statement.step
    statement.reset!
  end
end
count = Integer(ARGV[1])
start = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)
point.call(count)
puts (Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond) - start).fdiv(count)
