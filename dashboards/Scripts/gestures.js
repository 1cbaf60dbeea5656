// SPDX-License-Identifier: Apache-2.0
// Pointer and keyboard over the tracks.

/** What a pressed pointer does: it moves the view, or it selects; null if none is down. */
let drag = null;

function press(event) {
  if (event.button > 1 || event.target.closest(".name")) return;
  const pans = event.shiftKey || event.button === 1;
  drag = { pans, start: timeAt(event), x: event.clientX, from: state.from, to: state.to, moved: false };
  event.currentTarget.setPointerCapture(event.pointerId);
}

function move(event) {
  if (!drag) return hover(event);
  // A hand is never quite still.
  if (Math.abs(event.clientX - drag.x) < 4 && !drag.moved) return;
  drag.moved = true;
  hideTip();
  if (drag.pans) {
    const perPixel = (drag.to - drag.from) / byId("ticks").clientWidth;
    const by = (drag.x - event.clientX) * perPixel;
    show(drag.from + by, drag.to + by);
  } else {
    select(drag.start, timeAt(event));
  }
}

function release() {
  if (drag && !drag.moved && !drag.pans && state.range) select(null);
  drag = null;
}

function wheel(event) {
  const isZoom = event.ctrlKey || event.metaKey || event.altKey;
  if (isZoom) {
    event.preventDefault();
    zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 200))), timeAt(event));
  } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
    event.preventDefault();
    pan((event.deltaX || event.deltaY) / 800);
  }
}

/** Moves the keyboard's cursor; the view follows it. */
function moveCursor(by, selects) {
  const before = state.cursor ?? (state.from + state.to) / 2;
  state.cursor = Math.min(Math.max(0, before + by), end);
  if (selects) {
    drag = null;
    anchor = anchor ?? before;
    select(anchor, state.cursor);
  } else {
    anchor = null;
  }
  if (state.cursor < state.from || state.cursor > state.to) {
    const span = state.to - state.from;
    show(state.cursor - span / 2, state.cursor + span / 2);
  } else {
    changed("view");
  }
}

/** Where a selection by keyboard began. */
let anchor = null;

function zoomToRange() {
  if (!state.range) return;
  const from = state.range.first * trace.width;
  const to = (state.range.last + 1) * trace.width;
  const margin = (to - from) * 0.05;
  show(from - margin, to + margin);
}

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const step = (state.to - state.from) / 40;
  const around = state.cursor ?? undefined;
  const actions = {
    ArrowLeft: () => moveCursor(-step, event.shiftKey),
    ArrowRight: () => moveCursor(step, event.shiftKey),
    PageUp: () => pan(-0.5), PageDown: () => pan(0.5),
    Home: () => moveCursor(-end, event.shiftKey), End: () => moveCursor(end, event.shiftKey),
    "+": () => zoom(0.5, around), "=": () => zoom(0.5, around),
    "-": () => zoom(2, around), "_": () => zoom(2, around),
    0: () => show(0, end), Enter: zoomToRange,
    Escape: () => { anchor = null; state.cursor = null; select(null); },
  };
  const action = actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}
