// SPDX-License-Identifier: Apache-2.0
// The tables and totals of the selected range, and of the whole trace again.

/** A cell as the report has it. */
const original = new Map();

function write(cell, text, sort) {
  if (!original.has(cell)) original.set(cell, { text: cell.textContent, sort: cell.dataset.sort });
  // A part of the trace does not have what the whole does not have.
  if (original.get(cell).text === "–") return;
  cell.textContent = text;
  if (sort !== undefined) cell.dataset.sort = String(sort);
}

function restore() {
  for (const [cell, { text, sort }] of original) {
    cell.textContent = text;
    if (sort !== undefined) cell.dataset.sort = sort;
  }
  original.clear();
}

function totalTexts(sums) {
  const faults = sums.faults + sums.relationshipFaults;
  return {
    fetches: grouped(sums.fetches), counts: grouped(sums.counts), rows: grouped(sums.rows),
    saves: grouped(sums.saves), faults: grouped(sums.faults),
    "rel. faults": grouped(sums.relationshipFaults), "cache misses": grouped(sums.cacheMisses),
    "cache hits": percent(sums.cacheHits / faults), "in SQLite": duration(sums.connectionTime),
    fetching: duration(sums.totalTime), "in faults": duration(sums.faultTime),
    saving: duration(sums.saveTime), "rows/fetch": number(sums.rows / sums.fetches),
    "faults/fetch": number(sums.faults / sums.fetches), errors: grouped(sums.errors),
  };
}

function fillTotals(sums) {
  const texts = totalTexts(sums);
  byId("totals").classList.add("ranged");
  for (const cell of byId("totals").querySelectorAll("dd")) write(cell, texts[cell.dataset.field] ?? "–");
}

/** Fills a table's cells by the titles of their columns; what buckets do not contain is a dash. */
function fillTable(table, family, { first, last }) {
  const sums = family.sums(first, last);
  let whole = 0;
  for (const row of sums.values()) whole += row.total ?? 0;
  const titles = titlesOf(table);
  for (const row of table.tBodies) {
    const own = sums.get(Number(row.dataset.key));
    row.dataset.away = String(!own);
    if (!own) continue;
    const texts = family.cells(own, whole);
    titles.forEach((title, column) => {
      const cell = row.rows[0].cells[column];
      if (texts[title]) write(cell, ...texts[title]);
      else if (cell.classList.contains("number")) write(cell, "–", -1);
    });
  }
  sayOthers(table, sums.get(-1));
}

/** What is in the range and in no row. */
function sayOthers(table, sums) {
  const box = table.closest(".scroll");
  box.nextElementSibling?.matches(".range-others") && box.nextElementSibling.remove();
  if (!sums) return;
  const count = sums.count ?? sums.hits + sums.misses;
  const time = sums.total ?? sums.hitTime + sums.missTime;
  if (count > 0) {
    box.after(element("p", "quiet small range-others",
      `and ${grouped(count)} more in the range, ${duration(time)}, that have no row of their own`));
  }
}

function applyRange() {
  const range = state.range;
  restore();
  byId("range").hidden = !range;
  if (range) fillTotals(totalsOf(range.first, range.last));
  else byId("totals").classList.remove("ranged");
  const tables = [...document.querySelectorAll("table[data-table]")]
    .filter((table) => families[table.dataset.table]);
  for (const table of tables) {
    const family = families[table.dataset.table];
    if (range) fillTable(table, family, range);
    else forgetRange(table);
    table.classList.toggle("ranged", Boolean(range));
    order(table);
    filterRows(table);
  }
  if (range) byId("range").querySelector("p").textContent = rangeText(range);
  const what = range ? rangeText(range) : `The whole trace again: ${totalsText(totalsOf(0, bucketCount - 1))}.`;
  announce([what, ...tables.map(tableText)].join(" "));
  for (const note of document.querySelectorAll("[data-whole]")) note.hidden = !range;
}

function forgetRange(table) {
  for (const row of table.tBodies) row.dataset.away = "false";
  sayOthers(table, null);
}

function rangeText({ first, last }) {
  const [from, to] = [first * trace.width, (last + 1) * trace.width];
  return `${duration(from)} to ${duration(to)} (${duration(to - from)}): ${totalsText(totalsOf(first, last))}. `
    + "Totals and tables show what ended in it, and are sorted by it.";
}
