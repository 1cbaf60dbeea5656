// SPDX-License-Identifier: Apache-2.0
// Numbers in the words of the report itself: 12,800 · 1.30 ms · 43% · 2.50×

const byId = (id) => document.getElementById(id);

function grouped(count) {
  return Math.round(count).toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Half goes up, as in the report; toFixed alone would round what a binary number is nearest to. */
function fixed(value, digits) {
  const scale = 10 ** digits;
  return (Math.round(value * scale) / scale).toFixed(digits);
}

function threeDigits(value) {
  const size = Math.abs(value);
  if (size < 9.995) return fixed(value, 2);
  return size < 99.95 ? fixed(value, 1) : grouped(value);
}

/** Nanoseconds with their unit. */
function duration(nanoseconds) {
  const units = ["ns", "µs", "ms", "s"];
  let value = nanoseconds;
  let unit = 0;
  while (Math.abs(value) >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? grouped(value) : threeDigits(value)} ${units[unit]}`;
}

/** Bytes with their unit. */
function bytes(count) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = count;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? grouped(value) : threeDigits(value)} ${units[unit]}`;
}

function percent(ratio) {
  return Number.isFinite(ratio) ? `${Math.round(ratio * 100)}%` : "–";
}

function number(value) {
  if (!Number.isFinite(value)) return "–";
  return Number.isInteger(value) || value >= 100 ? grouped(value) : threeDigits(value);
}

function plural(count, word) {
  return `${grouped(count)} ${word}${count === 1 ? "" : word.endsWith("s") ? "es" : "s"}`;
}

/** An element with a class and a text; what comes from data is text and nothing else. */
function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}
