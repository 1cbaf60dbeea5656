// SPDX-License-Identifier: Apache-2.0
// Findings that fold, and that are filtered by rule, severity and words such as a line of code.

// Of more findings than this the others begin folded: a line each, so that a phone shows them all.
const openFindings = 5;

const ruleOf = (finding) => finding.querySelector(".rule").textContent;

/** Copies the SQL of a fix; a fix without SQL as a whole. */
function makeCopyable(finding) {
  const fix = finding.querySelector(".fix");
  const source = finding.querySelector("pre.code") || fix.querySelector("span");
  const button = element("button", "copy", "Copy");
  button.type = "button";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = "Copied";
    } catch {
      // Without a clipboard the text is selected, to be copied by hand.
      getSelection().selectAllChildren(source);
      button.textContent = "Selected";
    }
    announce(`${button.textContent}: the fix.`);
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  fix.append(button);
}

function fold(finding, isFolded) {
  finding.classList.toggle("folded", isFolded);
  finding.querySelector("button.fold").setAttribute("aria-expanded", String(!isFolded));
}

function makeFoldable(finding) {
  const button = element("button", "fold");
  button.type = "button";
  const heading = finding.querySelector("h3");
  button.setAttribute("aria-label", `Details of ${heading.textContent}`);
  button.addEventListener("click", () => fold(finding, !finding.classList.contains("folded")));
  heading.prepend(button);
}

/** A choice of one value, with how many findings have each. */
function findingChoice(label, all, values) {
  const choice = element("select");
  choice.setAttribute("aria-label", label);
  choice.append(element("option", "", all));
  choice.firstChild.value = "";
  for (const value of [...new Set(values)].sort()) {
    const option = element("option", "", `${value} (${values.filter((other) => other === value).length})`);
    option.value = value;
    choice.append(option);
  }
  return choice;
}

function startFindings(section) {
  const findings = [...section.querySelectorAll("article.finding")];
  findings.forEach(makeCopyable);
  if (findings.length < 2) return;
  findings.forEach((finding, index) => {
    makeFoldable(finding);
    fold(finding, index >= openFindings);
  });
  // A few are all to be seen: the first one needs the room.
  if (findings.length <= openFindings) return;
  const search = element("input");
  search.type = "search";
  search.placeholder = "Search";
  search.setAttribute("aria-label", "Search the findings, such as for a line of code");
  const severity = (finding) => finding.querySelector(".badge").textContent;
  const rules = findingChoice("Rule", "all rules", findings.map(ruleOf));
  const severities = findingChoice("Severity", "all severities", findings.map(severity));
  const shown = element("span", "quiet small shown");
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const finding of findings) {
      const text = finding.textContent.toLowerCase();
      finding.hidden = !words.every((word) => text.includes(word))
        || (rules.value !== "" && rules.value !== ruleOf(finding))
        || (severities.value !== "" && severities.value !== severity(finding));
      if (!finding.hidden) count += 1;
    }
    shown.textContent = count === findings.length ? "" : `${count} of ${plural(findings.length, "finding")}`;
    announce(`Findings: ${count} of ${findings.length}.`);
  };
  for (const control of [search, rules, severities]) control.addEventListener("input", filter);
  const tools = element("div", "tools");
  tools.append(search, rules, severities, shown);
  findings[0].before(tools);
}
