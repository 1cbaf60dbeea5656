<?php
// SPDX-License-Identifier: Apache-2.0
// Runs statements until its input ends. Prints `ok` if all is right.
$db = new PDO('sqlite::memory:');
$db->exec('CREATE TABLE t(a)');
$insertion = $db->prepare('INSERT INTO t VALUES (?)');
$inserted = 0;
echo "ready\n";
for (;;) {
    $read = [STDIN];
    $none = null;
    if (stream_select($read, $none, $none, 0) > 0) break;
    $insertion->execute([$inserted++]);
    $db->exec('INSERT INTO t VALUES (1)');
}
echo $db->query('SELECT count(*) FROM t')->fetchColumn() == 2 * $inserted ? "ok\n" : "failed\n";
