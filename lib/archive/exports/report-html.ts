// A report as one page that stands alone: no script, no link, nothing that a browser fetches. A policy in its head forbids them
// besides, and names its own style by digest. All that the session says is text here, with hidden characters by name.
import { exactly } from "#lib/kernel/exactly.ts";
import { hash } from "node:crypto";
import { escapeMarkup } from "#lib/kernel/escape-markup.ts";
import { shownText, splitHidden } from "#lib/kernel/hidden-text.ts";
import { CATEGORY_NAMES } from "#lib/wire/common-schema.ts";
import type { VerdictClause } from "#lib/wire/ledger-schema.ts";
import type { LoadAnswer, LoadCall } from "#lib/wire/load-schema.ts";
import { partsOf } from "#lib/wire/load-stack.ts";
import { verdictFacts, verdictTable } from "#lib/wire/verdict-markdown.ts";
import { reportChart } from "./report-chart.ts";
import type { Excerpt, ReportParts } from "./report-parts.ts";
import { REPORT_STYLE } from "./report-style.ts";
import { cutNote, excerptName, leftOutNote, reportTitle, type ReportNotes } from "./report-words.ts";

const POLICY = `default-src 'none'; style-src 'sha256-${hash("sha256", REPORT_STYLE, "base64")}'; base-uri 'none'; form-action 'none'`;

/** The page, in UTF-8. `parts` are masked already. */
export function reportHtml(parts: ReportParts, notes: ReportNotes): string {
  const title = reportTitle(parts);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${attribute(title)}</title>
<style>${REPORT_STYLE}</style>
</head>
<body>
<main>
<h1>${text(title)}</h1>
<p class="about">Context load report by Plimsoll, ${attribute(notes.writtenAt)}. ${attribute(notes.masked)}</p>
${verdict(parts.ledger.verdictClauses)}
${facts(parts)}
${chart(parts.load)}
${table(parts)}
${excerpts(parts.excerpts)}
</main>
</body>
</html>
`;
}

const verdict = (clauses: readonly VerdictClause[]): string => {
  const lines = [...Map.groupBy(clauses, ({ line }) => line).values()].map(
    (line) => `<p>${line.map((one) => (one.strong ? `<b>${text(one.text)}</b>` : text(one.text))).join("")}</p>`,
  );
  return lines.length === 0 ? "" : `<div class="verdict">${lines.join("")}</div>`;
};

const facts = ({ ledger, session }: ReportParts): string => {
  const rows = [["Session", ledger.sessionId] as const, ...verdictFacts(ledger, session)];
  return `<dl>${rows.map(([name, value]) => `<dt>${name}</dt><dd>${text(value)}</dd>`).join("")}</dl>`;
};

function chart(load: LoadAnswer): string {
  const drawn = reportChart(load);
  if (drawn === null) return "";
  const { svg, perColumn } = drawn;
  const note =
    perColumn === 1
      ? ""
      : `<p class="note">A column stands for up to ${exactly(perColumn)} calls: the largest is drawn.</p>`;
  const largest = load.calls.reduce((most, call) => (call.prompt > most.prompt ? call : most));
  return `<h2>Context load by model call</h2>${scroll("Load chart", svg)}${note}${stackTable(largest)}`;
}

/** What the largest prompt was made of: the colours of the chart, by name. */
function stackTable(call: LoadCall): string {
  const row = (name: string, tokens: number, origin: string, key = "") =>
    `<tr><td>${key}${name}</td><td class="right">${origin === "estimated" ? "~" : ""}${exactly(tokens)}</td><td>${origin}</td></tr>`;
  const rows = partsOf(call)
    .toReversed()
    .map(({ category, tokens, origin }) => row(CATEGORY_NAMES[category], tokens, origin, key(category)));
  return `<h2>Largest context: call ${call.call}</h2><table class="parts"><thead><tr><th>Category</th><th class="right">Tokens</th><th>Origin</th></tr></thead><tbody>${rows.join("")}${row("<b>Sum</b>", call.prompt, call.origin)}</tbody></table>`;
}

const key = (category: string): string =>
  `<svg class="key" width="10" height="10" aria-hidden="true"><rect class="${category}"/></svg>`;

function table({ ledger }: ReportParts): string {
  const { columns, rows } = verdictTable(ledger);
  if (rows.length === 0) return "";
  const head = columns.map(([name, to]) => `<th${to === "right" ? ' class="right"' : ""}>${name}</th>`).join("");
  const body = rows.map((cells) => {
    const shown = cells.map(
      (cell, i) => `<td class="${columns[i]![1] === "right" ? "right" : "words"}">${text(cell)}</td>`,
    );
    return `<tr>${shown.join("")}</tr>`;
  });
  const name = ledger.culprits.length > 0 ? "Culprits" : "Heaviest items";
  const html = `<table><thead><tr>${head}</tr></thead><tbody>${body.join("")}</tbody></table>`;
  const more = leftOutNote(ledger);
  return `<h2>${name}</h2>${scroll(name, html)}${more === null ? "" : `<p class="note">${more}</p>`}`;
}

function excerpts(shown: readonly Excerpt[]): string {
  if (shown.length === 0) return "";
  const figures = shown.map((one) => {
    const cut = cutNote(one);
    return `<figure><figcaption><b>${text(excerptName(one))}</b>${cut === null ? "" : `, ${cut}`}</figcaption><pre>${text(one.text)}</pre></figure>`;
  });
  return `<h2>Excerpts</h2>${figures.join("\n")}`;
}

/** Wide things scroll by themselves, by keyboard too. */
const scroll = (name: string, html: string): string =>
  `<div class="scroll" role="region" aria-label="${name}" tabindex="0">${html}</div>`;

/** Words of a session as text of the page: nothing of them is markup, and what would not show is named. */
const text = (words: string): string =>
  splitHidden(words)
    .map((part) => (part.hidden ? `<span class="hidden">${escapeMarkup(part.text)}</span>` : escapeMarkup(part.text)))
    .join("");

/** Where no element can stand. */
const attribute = (words: string): string => escapeMarkup(shownText(words));
