// The verdict for an issue or a chat: its sentence, what the session was, and the culprits as a table. It is read elsewhere, so
// nothing in it leads into this server, and every figure stands whole.
import { inheritedWords, originWords, spendWords } from "#lib/kernel/load/cost-words.ts";
import { exactly } from "#lib/kernel/exactly.ts";
import { estimatedUsd, percent } from "#lib/kernel/load/load-labels.ts";
import { logSurplus } from "#lib/kernel/load/log-surplus.ts";
import type { CulpritRow, LedgerAnswer, VerdictClause } from "./ledger-schema.ts";
import type { SessionSummary } from "./sessions-schema.ts";

const TITLE_CHARS = 200;

export function verdictMarkdown(ledger: LedgerAnswer, session: SessionSummary | undefined): string {
  const lines = [
    `## ${escaped(oneLine(ledger.title).slice(0, TITLE_CHARS).toWellFormed())}`,
    "",
    ...[...Map.groupBy(ledger.verdictClauses, ({ line }) => line).values()].flatMap((line) => [
      line.map(clause).join("").trim(),
      "",
    ]),
    `- Session: \`${ledger.sessionId}\``,
    ...verdictFacts(ledger, session).map(([name, value]) => `- ${name}: ${escaped(value)}`),
    "",
    ...markdownTable(verdictTable(ledger)),
  ];
  return `${lines.join("\n")}\n`;
}

const clause = ({ text, strong, seq }: VerdictClause): string => {
  const shown = strong ? emphasised(text) : escaped(text);
  return strong && seq !== null ? `${shown} (event ${seq})` : shown;
};

/** What a session was, each with its name. Words of the session, as they are. */
export function verdictFacts(
  ledger: LedgerAnswer,
  session: SessionSummary | undefined,
): (readonly [name: string, value: string])[] {
  const facts: [string, string | null][] = [];
  if (session) {
    const { agent, agentVersion, model, startedAt, endedAt, turns, modelCalls, compactions, peak } = session;
    const calls = modelCalls.own + modelCalls.inherited;
    facts.push(
      ["Agent", [agent, agentVersion, model].filter(Boolean).join(", ")],
      ["Time", startedAt === null ? null : `${utc(startedAt)}${endedAt === null ? "" : ` to ${utc(endedAt)}`}`],
      ["Model calls", `${exactly(calls)} in ${counted(turns, "turn")}, ${counted(compactions, "compaction")}`],
      ["Peak", peakWords(peak)],
      ["Cost", costWords(session.cost)],
    );
  }
  facts.push([
    "Unattributed",
    ledger.unattributedShare === null ? null : restWords(ledger.unattributedShare, logSurplus(ledger.calls)),
  ]);
  return facts.flatMap(([name, value]) => (value === null || value === "" ? [] : [[name, value] as const]));
}

const tenths = (share: number): string => `${(share * 100).toFixed(1)} %`;

const restWords = (share: number, surplus: number | null): string =>
  surplus === null
    ? `${tenths(share)} of prompt tokens`
    : `none: the log holds ${tenths(surplus)} more than the reported prompts`;

function costWords(cost: SessionSummary["cost"]): string | null {
  const spent = spendWords(cost);
  const copied = inheritedWords(cost);
  return spent === null ? null : `${spent} (${originWords(cost)})${copied === null ? "" : ` ${copied}`}`;
}

function peakWords({ tokens, loadLine, call, origin }: SessionSummary["peak"]): string | null {
  if (tokens === null) return null;
  const of = loadLine === null ? "" : ` of ${exactly(loadLine)} (${percent(tokens / loadLine)})`;
  return `${origin === "estimated" ? "~" : ""}${exactly(tokens)}${of} tokens${call === null ? "" : ` at call ${call}`}, ${origin}`;
}

/** With its date and its zone: whoever reads it is elsewhere. */
const utc = (iso: string): string => `${iso.slice(0, 16).replace("T", " ")} UTC`;

/** Left: words of the session. Right: figures. */
export type VerdictColumn = readonly [name: string, align: "left" | "right"];
export type VerdictTable = {
  readonly columns: readonly VerdictColumn[];
  readonly rows: readonly (readonly string[])[];
};

const FIGURES: readonly VerdictColumn[] = [
  ["Event", "right"],
  ["First call", "right"],
  ["Tokens", "right"],
  ["Sent", "right"],
  ["Lifetime tokens", "right"],
];
const ITEMS: readonly VerdictColumn[] = [["#", "right"], ["Item", "left"], ...FIGURES];
const CULPRITS: readonly VerdictColumn[] = [...ITEMS, ["Avoidable", "right"], ["What to do", "left"]];

/** The culprits, or the heaviest items where there are none. */
export function verdictTable(ledger: LedgerAnswer): VerdictTable {
  const [columns, cells] =
    ledger.culprits.length > 0
      ? [CULPRITS, ledger.culprits.map(culpritCells)]
      : [ITEMS, heaviest(ledger).map((item) => figures({ ...item, fromCall: item.enteredAt }))];
  return { columns, rows: cells.map((row, at) => [String(at + 1), ...row]) };
}

function markdownTable({ columns, rows }: VerdictTable): string[] {
  if (rows.length === 0) return [];
  const lines = [
    columns.map(([name]) => name),
    columns.map(([, to]) => (to === "right" ? "--:" : "---")),
    ...rows.map((cells) => cells.map((cell, i) => (columns[i]![1] === "left" ? escaped(cell) : cell))),
  ];
  return lines.map((cells) => `| ${cells.join(" | ")} |`);
}

/** Items that are told where nothing could have been avoided. */
const HEAVIEST = 10;

const heaviest = ({ items }: LedgerAnswer): LedgerAnswer["items"] =>
  items
    .filter(({ seq }) => seq !== null)
    .toSorted((a, b) => b.lifetimeTokens - a.lifetimeTokens)
    .slice(0, HEAVIEST);

type Weighed = Pick<CulpritRow, "label" | "seq" | "fromCall" | "tokens" | "grade" | "callsResident" | "lifetimeTokens">;

function figures({ label, seq, fromCall, tokens, grade, callsResident, lifetimeTokens }: Weighed): string[] {
  const figure = (value: number) => `${grade === "estimated" ? "~" : ""}${exactly(value)}`;
  return [
    oneLine(label),
    seq === null ? "–" : String(seq),
    String(fromCall),
    figure(tokens),
    `${exactly(callsResident)}×`,
    figure(lifetimeTokens),
  ];
}

function culpritCells(culprit: CulpritRow): string[] {
  const { avoidableUsd, isPartial, avoidableTokens, fix } = culprit;
  return [
    ...figures(culprit),
    estimatedUsd(avoidableUsd, isPartial) ?? `~${exactly(avoidableTokens)} tokens`,
    oneLine(fix),
  ];
}

const counted = (count: number, what: string): string => `${exactly(count)} ${what}${count === 1 ? "" : "s"}`;

const oneLine = (text: string): string => text.replace(/\s+/gu, " ").trim();

// Controls, and marks that turn the reading direction; emoji keep their joiner.
const HIDDEN = /(?!\u200D)[\p{Cc}\p{Cf}]/gu;

/** Labels are words of the session: nothing in them may become Markdown or HTML, nor end a cell. */
const escaped = (text: string): string => text.replace(HIDDEN, "\uFFFD").replace(/[\\`*_{}[\]<>#|~!&]/g, "\\$&");

/** Punctuation at its edge stays outside: `**a**`, not `** a: **`. */
function emphasised(text: string): string {
  const [, before = "", inner = "", after = ""] = /^(\s*[:,]?\s*)(.*?)(\s*)$/s.exec(text) ?? [];
  return inner === "" ? escaped(text) : `${escaped(before)}**${escaped(inner)}**${escaped(after)}`;
}
