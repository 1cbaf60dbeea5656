// SPDX-License-Identifier: Apache-2.0
// How long the runs in some buckets took. A bucket is exact to a step, four to each doubling, so that
// a percentile is known by its bound: "≤ 1.19 ms" is at most a quarter more than what was measured.

/** The longest duration in a step, in nanoseconds. */
function endOfStep(step) {
  return (5 + (step & 3)) * 2 ** ((step >> 2) - 2);
}

/** The sums of some buckets by table row, with how long the runs of each row took. */
function runSumsOf(first, last, column) {
  const rowOf = (key) => trace.runs[key][column];
  const rows = sumsOf(trace.runSums, runFields, first, last, rowOf);
  for (const sums of rows.values()) sums.lengths = [];
  for (let bucket = first; bucket <= last; bucket += 1) addLengths(rows, bucket, rowOf);
  return rows;
}

function addLengths(rows, bucket, rowOf) {
  const longest = new Map();
  const flat = trace.runSums[bucket];
  const [count, most] = ["count", "longest"].map((name) => runFields.indexOf(name) + 1);
  for (let at = 0; at < flat.length; at += runFields.length + 1) {
    const key = flat[at];
    if (key < 0) continue;
    longest.set(key, flat[at + most]);
    if (flat[at + count] === 1) {
      rows.get(rowOf(key)).lengths.push({ atMost: flat[at + most], count: 1, isExact: true });
    }
  }
  const steps = trace.runSteps[bucket];
  for (let at = 0; at < steps.length; at += 3) {
    const atMost = Math.min(endOfStep(steps[at + 1]), longest.get(steps[at]));
    rows.get(rowOf(steps[at])).lengths.push({ atMost, count: steps[at + 2], isExact: false });
  }
}

/** A percentile's text, exact where all runs are known one by one or it is the longest. */
function percentileOf(lengths, percent) {
  const sorted = [...lengths].sort((a, b) => a.atMost - b.atMost);
  const all = sorted.reduce((sum, length) => sum + length.count, 0);
  const rank = Math.max(1, Math.ceil(all * percent / 100));
  let seen = 0;
  const found = sorted.find((length) => (seen += length.count) >= rank);
  if (!found) return ["–", -1];
  const isExact = rank === all || sorted.every((length) => length.isExact);
  return [`${isExact ? "" : "≤ "}${duration(found.atMost)}`, found.atMost];
}
