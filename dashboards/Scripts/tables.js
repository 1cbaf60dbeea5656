// SPDX-License-Identifier: Apache-2.0
// Tables that sort, search and open; each row is a tbody, so that it takes its details along.

const titlesOf = (table) => [...table.tHead.rows[0].cells].map((cell) => cell.dataset.title);

function sortValue(row, column) {
  const cell = row.rows[0].cells[column];
  return cell.dataset.sort === "" ? cell.textContent : Number(cell.dataset.sort);
}

function sortTable(table, column) {
  const head = table.tHead.rows[0].cells;
  const isNumber = head[column].classList.contains("number");
  const was = head[column].getAttribute("aria-sort");
  // Numbers begin with the largest, words with A.
  const descending = was ? was === "ascending" : isNumber;
  for (const cell of head) cell.removeAttribute("aria-sort");
  head[column].setAttribute("aria-sort", descending ? "descending" : "ascending");
  order(table);
  announce(tableText(table));
}

/** The head of the column that rows are sorted by; nothing where they are as the report has them. */
function sortedHead(table) {
  return [...table.tHead.rows[0].cells].find((cell) => cell.hasAttribute("aria-sort"));
}

/** Puts the rows in the order that the head shows, or in the order of the report. */
function order(table) {
  const head = sortedHead(table);
  const column = head ? head.cellIndex : -1;
  const rows = [...table.tBodies];
  const turn = head?.ariaSort === "descending" ? -1 : 1;
  const ofReport = (a, b) => Number(a.dataset.key) - Number(b.dataset.key);
  rows.sort((a, b) => {
    if (column < 0) return ofReport(a, b);
    const [x, y] = [sortValue(a, column), sortValue(b, column)];
    const by = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
    return by * turn || ofReport(a, b);
  });
  table.append(...rows);
}

function makeSortable(table) {
  [...table.tHead.rows[0].cells].forEach((cell, column) => {
    cell.dataset.title = cell.textContent;
    if (cell.textContent === "") return;
    const button = element("button", "", cell.textContent);
    button.type = "button";
    button.addEventListener("click", () => sortTable(table, column));
    cell.replaceChildren(button);
  });
}

function makeOpenable(row) {
  const details = row.querySelector("tr.detail details");
  if (!details) return;
  row.classList.add("opens");
  row.rows[0].addEventListener("click", () => {
    // A selection of text to copy is not a click.
    if (getSelection().isCollapsed) details.open = !details.open;
  });
}

/** Shows the rows that hold all words, that match all chips and that are in the range. */
function filterRows(table) {
  const tools = table.closest(".scroll").previousElementSibling;
  const words = (tools.querySelector("input")?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const chips = [...tools.querySelectorAll("[aria-pressed=true]")].map((chip) => chip.dataset.chip);
  let shown = 0;
  for (const row of table.tBodies) {
    const text = words.length ? row.textContent.toLowerCase() : "";
    const tags = (row.dataset.tags ?? "").split(" ");
    const fits = words.every((word) => text.includes(word)) && chips.every((chip) => tags.includes(chip));
    row.hidden = !fits || row.dataset.away === "true";
    if (!row.hidden) shown += 1;
  }
  const all = table.tBodies.length;
  tools.querySelector(".shown").textContent = shown === all ? "" : `${shown} of ${all} rows`;
}

function startTable(table) {
  makeSortable(table);
  for (const row of table.tBodies) makeOpenable(row);
  const tools = table.closest(".scroll").previousElementSibling;
  tools.hidden = false;
  const search = () => {
    filterRows(table);
    announce(tableText(table));
  };
  tools.querySelector("input")?.addEventListener("input", search);
  for (const chip of tools.querySelectorAll("[data-chip]")) {
    chip.addEventListener("click", () => {
      chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
      search();
    });
  }
}

/** Opens the row, or unfolds the finding, that the address names. */
function openTarget() {
  const target = byId(location.hash.slice(1));
  const details = target?.querySelector("tr.detail details");
  if (details) details.open = true;
  if (target?.matches("article.finding.folded")) fold(target, false);
}
