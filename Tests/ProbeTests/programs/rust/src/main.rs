// SPDX-License-Identifier: Apache-2.0

// With rusqlite of Debian's registry.
use rusqlite::{Connection, Result};

fn insert(database: &Connection, number: i64) -> Result<usize> {
    database.execute("INSERT INTO t VALUES(?1)", [number]) // insert
}

fn main() -> Result<()> {
    let database = Connection::open_in_memory()?;
    database.execute("CREATE TABLE t(a)", [])?; // create
    let (mut statements, mut rows) = (1, 0);
    for number in 0..20 {
        statements += insert(&database, number)?;
    }
    for number in 0..10 {
        let _: i64 = database.query_row("SELECT count(*) FROM t WHERE a > ?1", [number], |row| row.get(0))?; // count
        statements += 1;
        rows += 1;
    }
    println!("counts {statements} {rows}");
    Ok(())
}
