// SPDX-License-Identifier: Apache-2.0
// The trace over time, what of it is in view, and the range that the tables are of.

const dataElement = byId("data");
const trace = dataElement ? JSON.parse(dataElement.textContent) : null;

const bucketCount = trace ? trace.totals.length : 0;
const end = trace ? bucketCount * trace.width : 0;

const state = {
  /** In view, in nanoseconds from the first event. */
  from: 0,
  to: end,
  /** The first and the last bucket of the range, or null. */
  range: null,
  /** Where the keyboard is, in nanoseconds. */
  cursor: null,
  /** Whether bars show time, not counts. */
  showsTime: false,
};

const watchers = { view: [], range: [] };

function changed(what) {
  for (const watcher of watchers[what]) watcher();
}

/** Shows a stretch of time, within the trace and no shorter than a few buckets of the least width. */
function show(from, to) {
  const span = Math.min(Math.max(to - from, shortestView), end);
  state.from = Math.min(Math.max(0, from), end - span);
  state.to = state.from + span;
  changed("view");
}

const shortestView = trace ? Math.min(Math.max(trace.width / 64, 1000), end) : 0;

/** Zooms around a moment; below 1 is closer. */
function zoom(factor, around = (state.from + state.to) / 2) {
  show(around - (around - state.from) * factor, around + (state.to - around) * factor);
}

/** Moves by a part of what is in view. */
function pan(part) {
  const by = (state.to - state.from) * part;
  show(state.from + by, state.to + by);
}

/** Selects the buckets between two moments, both included; null selects all. */
function select(from, to) {
  if (from === null) {
    state.range = null;
  } else {
    const bucket = (time) => Math.min(Math.max(0, Math.floor(time / trace.width)), bucketCount - 1);
    const first = bucket(Math.min(from, to));
    const last = Math.max(first, bucket(Math.max(from, to) - 1e-6));
    state.range = { first, last };
  }
  changed("range");
}
