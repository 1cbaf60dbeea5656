// SPDX-License-Identifier: Apache-2.0
// The tracks as paths. A plot is 1000 units wide, whatever its width on the screen.

const plotWidth = 1000;

/** Where a moment lies in a plot. */
function place(time) {
  return ((time - state.from) / (state.to - state.from)) * plotWidth;
}

/** Bars of what lies in view; buckets are joined until a bar is wide enough to be seen. */
function barPath(values, height, pixels, isSize) {
  const shown = (state.to - state.from) / trace.width;
  const step = Math.max(1, Math.ceil((shown * 2) / Math.max(pixels, 100)));
  const first = Math.floor(state.from / trace.width / step) * step;
  const bars = [];
  let most = 0;
  for (let at = first; at * trace.width < state.to && at < values.length; at += step) {
    let sum = 0;
    for (let index = at; index < Math.min(at + step, values.length); index += 1) {
      sum = isSize ? Math.max(sum, values[index]) : sum + values[index];
    }
    if (sum > 0) bars.push([at, sum]);
    most = Math.max(most, sum);
  }
  const path = bars.map(([at, sum]) => {
    const left = Math.max(place(at * trace.width), -1);
    const right = Math.min(place((at + step) * trace.width), plotWidth + 1);
    // What is little must still be seen.
    const top = height - Math.max((sum / most) * (height - 4), 2);
    return box(left, top, Math.max(right, left + 0.8), height);
  }).join("");
  return { path, most };
}

/** By its two edges, each rounded alone, so that neighbours share theirs. */
function box(left, top, right, bottom) {
  return `M${left.toFixed(1)} ${bottom}V${top.toFixed(1)}H${right.toFixed(1)}V${bottom}z`;
}

function drawTracks() {
  for (const strip of document.querySelectorAll("[data-track]")) {
    const track = trace.tracks.find((known) => known.id === strip.dataset.track);
    const plot = strip.querySelector("svg");
    const isSize = track.unit === "bytes";
    const isTime = track.unit ? !isSize : state.showsTime;
    const { path, most } = barPath(isTime ? track.busy : track.counts, 46, plot.clientWidth, isSize);
    plot.querySelector("path").setAttribute("d", path);
    const highest = isSize ? bytes(most) : isTime ? duration(most) : grouped(most);
    strip.querySelector("span").textContent = most > 0 ? `highest bar ${highest}` : "none in view";
  }
}

const sliceKinds = ["fetches", "faults", "misses", "saves", "waits", "checkpoints"];

function drawLanes() {
  for (const strip of document.querySelectorAll("[data-lane]")) {
    const lane = Number(strip.dataset.lane);
    const plot = strip.querySelector("svg");
    const density = barPath(trace.lanes[lane].busy, 24, plot.clientWidth);
    plot.querySelector(".c-density").setAttribute("d", density.path);
    for (const path of plot.querySelectorAll("path:not(.c-density)")) path.remove();
    for (const [kind, d] of slicePaths(lane)) {
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("class", `c-${sliceKinds[kind]}`);
      path.setAttribute("d", d);
      plot.append(path);
    }
  }
}

/** One path a kind, inner slices lower than those around them. */
function slicePaths(lane) {
  const paths = new Map();
  for (const [kind, begin, length, itsLane, , , depth] of trace.slices) {
    if (itsLane !== lane || begin > state.to || begin + length < state.from) continue;
    const left = Math.max(place(begin), -1);
    const right = Math.min(place(begin + length), plotWidth + 1);
    const top = 3 + Math.min(depth, 3) * 5;
    paths.set(kind, (paths.get(kind) ?? "") + box(left, top, Math.max(right, left + 0.8), 23));
  }
  return paths;
}

/** Marks at round times. */
function drawTicks() {
  const ticks = byId("ticks");
  const span = state.to - state.from;
  const rough = span / Math.max(2, Math.min(8, ticks.clientWidth / 110));
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * decade).find((size) => size >= rough);
  const marks = [];
  for (let time = Math.ceil(state.from / step) * step; time < state.to; time += step) {
    const mark = element("span", "", duration(time));
    mark.style.left = `${place(time) / 10}%`;
    // Its text would be cut at the edge: it stands before its mark.
    mark.classList.toggle("last", (1 - place(time) / plotWidth) * ticks.clientWidth < 64);
    marks.push(mark);
  }
  ticks.classList.add("live");
  ticks.replaceChildren(...marks);
}

function drawMarks() {
  const selection = byId("selection");
  const cursor = byId("cursor");
  selection.hidden = !state.range;
  if (state.range) {
    const left = place(state.range.first * trace.width) / 10;
    selection.style.left = `${left}%`;
    selection.style.width = `${place((state.range.last + 1) * trace.width) / 10 - left}%`;
  }
  cursor.hidden = state.cursor === null;
  if (state.cursor !== null) cursor.style.left = `${place(state.cursor) / 10}%`;
}

let isDrawn = true;

/** Draws once a frame, however often it is called. */
function draw() {
  if (!isDrawn) return;
  isDrawn = false;
  requestAnimationFrame(() => {
    isDrawn = true;
    drawTicks();
    drawTracks();
    drawLanes();
    drawMarks();
  });
}
