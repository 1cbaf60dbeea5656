// SPDX-License-Identifier: Apache-2.0
// Sums over buckets. A bucket's rows lie flat in one array: key, sum, sum, …, key, sum, …

const runFields = ["count", "rows", "misses", "steps", "scans", "total", "longest"];
const faultFields = ["hits", "misses", "rows", "hitTime", "missTime"];
const saveFields = ["count", "inserted", "updated", "deleted", "wait", "write", "commit", "total"];

/** The totals of some buckets by name; a bucket in which nothing ended is empty. */
function totalsOf(first, last) {
  const sums = Object.fromEntries(trace.totalFields.map((name) => [name, 0]));
  for (let bucket = first; bucket <= last; bucket += 1) {
    trace.totals[bucket].forEach((value, index) => { sums[trace.totalFields[index]] += value; });
  }
  return sums;
}

/** The sums of some buckets by table row; -1 is what no row stands for. */
function sumsOf(buckets, fields, first, last, rowOf) {
  const rows = new Map();
  const stride = fields.length + 1;
  for (let bucket = first; bucket <= last; bucket += 1) {
    const flat = buckets[bucket];
    for (let at = 0; at < flat.length; at += stride) {
      addRow(rows, flat[at] < 0 ? -1 : rowOf(flat[at]), fields, flat, at + 1);
    }
  }
  return rows;
}

const emptyRow = (fields) => Object.fromEntries(fields.map((name) => [name, 0]));

function addRow(rows, row, fields, flat, at) {
  let sums = rows.get(row);
  if (!sums) rows.set(row, (sums = emptyRow(fields)));
  fields.forEach((name, index) => {
    const value = flat[at + index];
    sums[name] = name === "longest" ? Math.max(sums[name], value) : sums[name] + value;
  });
}

/** What lines of code ran, and what they saved: the total is of both. */
function callerSumsOf(first, last) {
  const rows = runSumsOf(first, last, 1);
  const rowOf = (key) => trace.saveCallers[key];
  for (const [row, saves] of sumsOf(trace.saveSums, saveFields, first, last, rowOf)) {
    let sums = rows.get(row);
    if (!sums) rows.set(row, (sums = { ...emptyRow(runFields), lengths: [] }));
    sums.runTime = sums.total;
    sums.total += saves.total;
  }
  return rows;
}

/** What each table is of: its rows' sums, and the text of a cell by its column's title. */
const families = {
  statements: {
    sums: (first, last) => runSumsOf(first, last, 0),
    cells: runCells,
  },
  callers: {
    sums: callerSumsOf,
    cells: runCells,
  },
  faults: {
    sums: (first, last) => sumsOf(trace.faultSums, faultFields, first, last, (key) => trace.faults[key]),
    cells: (sums) => ({
      misses: [grouped(sums.misses), sums.misses], hits: [grouped(sums.hits), sums.hits],
      rows: [grouped(sums.rows), sums.rows], time: [duration(sums.missTime), sums.missTime],
    }),
  },
  saves: {
    sums: (first, last) => sumsOf(trace.saveSums, saveFields, first, last, (key) => trace.saves[key]),
    cells: (sums) => ({
      total: [duration(sums.total), sums.total], saves: [grouped(sums.count), sums.count],
      ins: [grouped(sums.inserted), sums.inserted], upd: [grouped(sums.updated), sums.updated],
      del: [grouped(sums.deleted), sums.deleted], wait: [duration(sums.wait), sums.wait],
      write: [duration(sums.write), sums.write], commit: [duration(sums.commit), sums.commit],
    }),
  },
};

function runCells(sums, whole) {
  const mean = (sums.runTime ?? sums.total) / sums.count;
  return {
    total: [duration(sums.total), sums.total],
    share: whole > 0 ? [percent(sums.total / whole), sums.total / whole] : ["–", 0],
    runs: [grouped(sums.count), sums.count], rows: [grouped(sums.rows), sums.rows],
    mean: sums.count > 0 ? [duration(mean), mean] : ["–", -1],
    p50: percentileOf(sums.lengths, 50), p95: percentileOf(sums.lengths, 95),
    p99: percentileOf(sums.lengths, 99),
    max: [duration(sums.longest), sums.longest],
  };
}
