// SPDX-License-Identifier: Apache-2.0
// From a finding to when its statement ran, and from a range to the findings in it.

/** The first and the last bucket with runs of each key of the trace. */
const stretches = new Map();

function keysIn(first, last, found) {
  const stride = runFields.length + 1;
  for (let bucket = first; bucket <= last; bucket += 1) {
    const flat = trace.runSums[bucket];
    for (let at = 0; at < flat.length; at += stride) found(flat[at], bucket);
  }
}

/** The keys of the runs of a finding's statement at its line. */
function keysOf(finding) {
  const [statement, caller] = [finding.dataset.statement, finding.dataset.caller].map(Number);
  return [...stretches.keys()].filter((key) =>
    key >= 0 && trace.runs[key][0] === statement && (isNaN(caller) || trace.runs[key][1] === caller));
}

function selectRunsOf(keys) {
  const parts = keys.map((key) => stretches.get(key));
  show(0, end);
  select(Math.min(...parts.map((part) => part.first)) * trace.width,
    (Math.max(...parts.map((part) => part.last)) + 0.5) * trace.width);
  byId("tracks").scrollIntoView();
  byId("timeline").focus({ preventScroll: true });
}

/** Links to the findings whose statements ran in the range. */
function listFindings(found) {
  const links = byId("range").querySelector(".found");
  links.replaceChildren();
  if (!state.range) return;
  const keys = new Set();
  keysIn(state.range.first, state.range.last, (key) => keys.add(key));
  const present = found.filter((one) => one.keys.some((key) => keys.has(key)));
  if (present.length > 0) links.append("Findings: ");
  for (const { finding } of present) {
    const link = element("a", "", finding.id.replace("finding-", ""));
    link.href = `#${finding.id}`;
    link.title = finding.querySelector("h3").textContent;
    links.append(link, " ");
  }
}

function startMoments() {
  keysIn(0, bucketCount - 1, (key, bucket) => {
    const part = stretches.get(key);
    if (part) part.last = bucket;
    else stretches.set(key, { first: bucket, last: bucket });
  });
  const found = [...document.querySelectorAll("article.finding[data-statement]")]
    .map((finding) => ({ finding, keys: keysOf(finding) })).filter(({ keys }) => keys.length > 0);
  for (const { finding, keys } of found) {
    const button = element("button", "moment", "when it ran");
    button.type = "button";
    button.addEventListener("click", () => selectRunsOf(keys));
    const saving = finding.querySelector(".save");
    if (saving) saving.before(button);
    else finding.querySelector("header").append(button);
  }
  watchers.range.push(() => listFindings(found));
}
