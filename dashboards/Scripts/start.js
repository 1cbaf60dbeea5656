// SPDX-License-Identifier: Apache-2.0
// Nothing of the page needs what begins here: without scripts it is all to be read.

function startTimeline() {
  const timeline = byId("timeline");
  timeline.tabIndex = 0;
  timeline.setAttribute("role", "group");
  timeline.setAttribute("aria-label",
    "Tracks over time. Arrow keys move the cursor, with Shift they select a range, "
    + "plus and minus zoom, Enter zooms in on the range, Escape clears it.");
  timeline.addEventListener("pointerdown", press);
  timeline.addEventListener("pointermove", move);
  timeline.addEventListener("pointerup", release);
  timeline.addEventListener("pointercancel", release);
  timeline.addEventListener("pointerleave", hideTip);
  timeline.addEventListener("wheel", wheel, { passive: false });
  timeline.addEventListener("dblclick", () => (state.range ? zoomToRange() : show(0, end)));
  timeline.addEventListener("keydown", key);
  watchers.view.push(draw);
  watchers.range.push(applyRange, draw);
  addEventListener("resize", draw);
  // Print is as wide as the paper.
  addEventListener("beforeprint", drawTracks);
  startButtons();
  startMoments();
  draw();
}

function startButtons() {
  const actions = {
    "zoom-in": () => zoom(0.5), "zoom-out": () => zoom(2), "pan-left": () => pan(-0.3),
    "pan-right": () => pan(0.3), "zoom-all": () => show(0, end), "zoom-range": zoomToRange,
    "clear-range": () => {
      select(null);
      // The button is removed; keyboard focus moves to the tracks.
      byId("timeline").focus({ preventScroll: true });
    },
    "by-time": (button) => {
      state.showsTime = !state.showsTime;
      button.setAttribute("aria-pressed", String(state.showsTime));
      draw();
    },
  };
  for (const [id, action] of Object.entries(actions)) {
    byId(id).addEventListener("click", (event) => action(event.currentTarget));
  }
  byId("toolbar").hidden = false;
}

startTheme();
for (const table of document.querySelectorAll("table[data-table]")) startTable(table);
if (byId("findings")) startFindings(byId("findings"));
addEventListener("hashchange", openTarget);
openTarget();
if (trace && bucketCount > 0) startTimeline();
