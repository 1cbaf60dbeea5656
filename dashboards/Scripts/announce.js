// SPDX-License-Identifier: Apache-2.0
// Announces what changed to screen readers: one live region, which waits until a drag has ended.

let announcing = 0;

function announce(text) {
  clearTimeout(announcing);
  announcing = setTimeout(() => { byId("announcement").textContent = text; }, 300);
}

/** `Callers: 2 of 3 rows, by total, largest first.` */
function tableText(table) {
  const rows = [...table.tBodies];
  const shown = rows.filter((row) => !row.hidden).length;
  const count = shown === rows.length ? plural(shown, "row") : `${grouped(shown)} of ${plural(rows.length, "row")}`;
  const head = sortedHead(table);
  const isNumber = head?.classList.contains("number");
  const turn = head?.ariaSort === "descending" ? ["largest first", "from Z on"] : ["smallest first", "from A on"];
  const by = head ? `, by ${head.dataset.title}, ${turn[isNumber ? 0 : 1]}` : "";
  return `${table.caption.textContent}: ${count}${by}.`;
}
