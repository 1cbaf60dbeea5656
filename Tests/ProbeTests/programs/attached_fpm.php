<?php
// SPDX-License-Identifier: Apache-2.0
// A page that reads the books of each author, an N+1.
$db = new PDO('sqlite:' . $_SERVER['DATABASE']);
$books = 0;
foreach ($db->query('SELECT id FROM author')->fetchAll() as $author) {
    $statement = $db->prepare('SELECT title FROM book WHERE author = ?');
    $statement->execute([$author['id']]);
    $books += count($statement->fetchAll());
}
echo $books;
