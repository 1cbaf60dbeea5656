<?php
// SPDX-License-Identifier: Apache-2.0
// Both of PHP's drivers.

$statements = $rows = 0;
$database = new SQLite3(':memory:');
$database->exec('CREATE TABLE t(a, b)');
$database->exec("INSERT INTO t VALUES(1, 2), (3, 4); INSERT INTO t VALUES(5, 6)");
$statements += 3;
$statement = $database->prepare('SELECT * FROM t WHERE a > ?');
foreach ([0, 1] as $limit) {
  $statement->bindValue(1, $limit);
  $result = $statement->execute();
  while ($result->fetchArray()) $rows++;
  $statement->reset();
  $statements++;
}
// execute() steps once to find errors and resets, then each row is stepped again.
$statements += 2;
$rows += 2;
$database->close();

$pdo = new PDO('sqlite::memory:');
$pdo->exec('CREATE TABLE u(x)');
$pdo->beginTransaction();
$insert = $pdo->prepare('INSERT INTO u VALUES(?)');
for ($number = 0; $number < 5; $number++) $insert->execute([$number]);
$pdo->commit();
foreach ($pdo->query('SELECT * FROM u') as $row) $rows++;
$statements += 9;
echo "counts $statements $rows\n";
