// SPDX-License-Identifier: Apache-2.0
// costs.js point COUNT prints nanoseconds for each query, of the thread that runs them.
const { DatabaseSync } = require('node:sqlite');
const { readFileSync } = require('node:fs');

const count = Number(process.argv[3]);
const database = new DatabaseSync(':memory:');
database.exec('CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL)');
const insert = database.prepare('INSERT INTO t VALUES(?, ?, ?)');
for (let i = 0; i < 1000; i++) insert.run(i, 'Am Treptower Park', i * 0.5);
const query = database.prepare('SELECT a, b, c FROM t WHERE a = ?');

function run(times) {
  for (let i = 0; i < times; i++) query.get(i % 1000);
}

// Time on the processor, which other programs do not share; Node's compiler works on threads of its own.
const time = () => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]);
run(20000);
const start = time();
run(count);
console.log((time() - start) / count);
