// SPDX-License-Identifier: Apache-2.0
// What lies under the pointer.

function timeAt(event) {
  const plot = byId("ticks").getBoundingClientRect();
  const part = (event.clientX - plot.left) / plot.width;
  return state.from + Math.min(Math.max(part, 0), 1) * (state.to - state.from);
}

/** The innermost slice of a lane at a moment, with a few pixels of grace. */
function sliceAt(lane, time) {
  const grace = ((state.to - state.from) / Math.max(byId("ticks").clientWidth, 1)) * 3;
  let found = null;
  for (const slice of trace.slices) {
    const [, begin, length, itsLane, , , depth] = slice;
    if (itsLane !== lane || begin - grace > time || begin + length + grace < time) continue;
    if (!found || depth >= found[6]) found = slice;
  }
  return found;
}

const sliceWords = ["fetch", "fault", "cache miss", "save", "waits for a lock", "checkpoint"];

function sliceLines([kind, begin, length, , subject, rows]) {
  const lines = [[`${sliceWords[kind]} ${duration(length)}`, "b"], [`from ${duration(begin)}`, "span"]];
  if (rows > 0) lines.push([kind === 5 ? plural(rows, "frame") : plural(rows, "row"), "div"]);
  if (subject < 0) return lines;
  if (kind === 0 || kind === 2) {
    const [statement, caller] = trace.runs[subject];
    lines.push([trace.labels.callers[caller] ?? "a line of code not listed", "div"]);
    lines.push([trace.labels.statements[statement] ?? "a statement not listed", "code"]);
  } else {
    const labels = kind === 1 ? trace.labels.faults : trace.labels.saves;
    lines.push([labels[(kind === 1 ? trace.faults : trace.saves)[subject]] ?? "not listed", "div"]);
  }
  return lines;
}

function bucketLines(time) {
  const bucket = Math.min(Math.floor(time / trace.width), bucketCount - 1);
  const sums = totalsOf(bucket, bucket);
  const begin = bucket * trace.width;
  const lines = [[`${duration(begin)} to ${duration(begin + trace.width)}`, "b"]];
  lines.push([totalsText(sums), "div"]);
  for (const track of trace.tracks.filter((track) => track.busy[bucket] > 0)) {
    lines.push([`${track.name}: ${duration(track.busy[bucket])}`, "div"]);
  }
  for (const track of trace.tracks.filter((track) => track.unit === "bytes" && track.counts[bucket] > 0)) {
    lines.push([`${track.name}: ${bytes(track.counts[bucket])}`, "div"]);
  }
  return lines;
}

/** `34 fetches, 184 faults, 184 cache misses`; what did not happen is left out. */
function totalsText(sums) {
  const parts = [
    [sums.fetches, "fetch"], [sums.counts, "count"], [sums.nestedFetches, "nested fetch"],
    [sums.faults + sums.relationshipFaults, "fault"], [sums.cacheMisses, "cache miss"],
    [sums.saves, "save"], [sums.errors, "error"],
  ].filter(([count]) => count > 0).map(([count, word]) =>
    `${grouped(count)} ${count === 1 ? word : word.replace(/(ch|s)$/, "$1e") + "s"}`);
  return parts.join(", ") || "nothing ended here";
}

function hover(event) {
  const strip = event.target.closest?.(".strip");
  if (!strip || strip.classList.contains("axis") || event.target.closest(".name")) return hideTip();
  const time = timeAt(event);
  const slice = strip.dataset.lane ? sliceAt(Number(strip.dataset.lane), time) : null;
  const tip = byId("tip");
  tip.replaceChildren(
    ...(slice ? sliceLines(slice) : bucketLines(time)).map(([text, name]) => element(name, "", text)));
  tip.hidden = false;
  const width = tip.offsetWidth;
  const beside = event.clientX + 14 + width < innerWidth ? event.clientX + 14 : event.clientX - 14 - width;
  tip.style.left = `${Math.max(4, beside)}px`;
  const below = event.clientY + 16;
  tip.style.top = `${below + tip.offsetHeight < innerHeight ? below : event.clientY - 12 - tip.offsetHeight}px`;
}

function hideTip() { byId("tip").hidden = true; }
