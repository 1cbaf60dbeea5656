# SPDX-License-Identifier: Apache-2.0
use strict;
use warnings;
use DBI;

# The driver registers a tokenizer before the trace begins.
my ($statements, $rows) = (1, 1);
my $database = DBI->connect("dbi:SQLite:dbname=:memory:", "", "", {RaiseError => 1});
# DBD::SQLite runs statements of its own; all of them pass its trace.
$database->sqlite_trace(sub { $statements++ });
$database->do("CREATE TABLE t(a, b)");
my $insert = $database->prepare("INSERT INTO t VALUES(?, ?)");
$insert->execute($_, "x$_") for 1 .. 20;
$rows += @{$database->selectall_arrayref("SELECT * FROM t WHERE a > ?", undef, 5)};
$database->begin_work;
$database->do("DELETE FROM t");
$database->rollback;
$database->disconnect;
print "counts $statements $rows\n";
