// SPDX-License-Identifier: Apache-2.0
// Node's own module, whose SQLite is linked into the program.
const { DatabaseSync } = require('node:sqlite');

let statements = 0, rows = 0;
const database = new DatabaseSync(':memory:');
database.exec('CREATE TABLE t(a, b); BEGIN');
const insert = database.prepare('INSERT INTO t VALUES(?, ?)');
for (let number = 0; number < 20; number++) insert.run(number, String(number));
database.exec('COMMIT');
rows += database.prepare('SELECT * FROM t WHERE a > ?').all(4).length;
statements += 24;
database.close();
console.log(`counts ${statements} ${rows}`);
