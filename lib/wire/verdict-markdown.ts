// The verdict for an issue or a chat: its sentence, what the session was, and the culprits as a table. It is read elsewhere, so
// nothing in it leads into this server, and every figure stands whole.
import { spendWords } from "#lib/kernel/load/cost-words.ts";
import { dollars, exactly, percent } from "#lib/kernel/load/words.ts";
import type { CulpritRow, LedgerAnswer, VerdictClause } from "./ledger.ts";
import type { SessionSummary } from "./sessions.ts";

const TITLE_CHARS = 200;

export function verdictMarkdown(ledger: LedgerAnswer, session: SessionSummary | undefined): string {
  const lines = [
    `## ${escaped(oneLine(ledger.title).slice(0, TITLE_CHARS).toWellFormed())}`,
    "",
    ...[...Map.groupBy(ledger.verdictClauses, ({ line }) => line).values()].flatMap((line) => [
      line.map(clause).join("").trim(),
      "",
    ]),
    ...factsOf(ledger, session).map(([name, value]) => `- ${name}: ${value}`),
  ];
  if (ledger.culprits.length > 0) lines.push("", ...tableOf(ledger.culprits));
  return `${lines.join("\n")}\n`;
}

const clause = ({ text, strong, seq }: VerdictClause): string => {
  const shown = strong ? emphasised(text) : escaped(text);
  return strong && seq !== null ? `${shown} (event ${seq})` : shown;
};

function factsOf(ledger: LedgerAnswer, session: SessionSummary | undefined): (readonly [string, string])[] {
  const facts: [string, string | null][] = [["Session", `\`${ledger.sessionId}\``]];
  if (session) {
    const { agent, agentVersion, model, startedAt, endedAt, turns, modelCalls, compactions, peak } = session;
    const calls = modelCalls.own + modelCalls.inherited;
    facts.push(
      ["Agent", escaped([agent, agentVersion, model].filter(Boolean).join(", "))],
      ["Time", startedAt === null ? null : `${utc(startedAt)}${endedAt === null ? "" : ` to ${utc(endedAt)}`}`],
      ["Model calls", `${exactly(calls)} in ${exactly(turns)} turns, ${exactly(compactions)} compactions`],
      ["Peak", peakWords(peak)],
      ["Cost", spendWords(session.cost)],
    );
  }
  facts.push([
    "Unattributed",
    ledger.unattributedShare === null ? null : `${(ledger.unattributedShare * 100).toFixed(1)} % of prompt tokens`,
  ]);
  return facts.flatMap(([name, value]) => (value === null || value === "" ? [] : [[name, value] as const]));
}

function peakWords({ tokens, loadLine, call, origin }: SessionSummary["peak"]): string | null {
  if (tokens === null) return null;
  const of = loadLine === null ? "" : ` of ${exactly(loadLine)} (${percent(tokens / loadLine)})`;
  return `${origin === "estimated" ? "~" : ""}${exactly(tokens)}${of} tokens${call === null ? "" : ` at call ${call}`}, ${origin}`;
}

/** With its date and its zone: whoever reads it is elsewhere. */
const utc = (iso: string): string => `${iso.slice(0, 16).replace("T", " ")} UTC`;

const HEAD = ["#", "Culprit", "Event", "First call", "Tokens", "Sent", "Lifetime tokens", "Avoidable", "What to do"];
const ALIGN = ["--:", "---", "--:", "--:", "--:", "--:", "--:", "--:", "---"];

function tableOf(culprits: readonly CulpritRow[]): string[] {
  return [HEAD, ALIGN, ...culprits.map(cellsOf)].map((cells) => `| ${cells.join(" | ")} |`);
}

function cellsOf(culprit: CulpritRow, at: number): string[] {
  const { label, seq, fromCall, tokens, grade, callsResident, lifetimeTokens, avoidableUsd, avoidableTokens, fix } =
    culprit;
  const figure = (value: number) => `${grade === "estimated" ? "~" : ""}${exactly(value)}`;
  return [
    String(at + 1),
    escaped(oneLine(label)),
    seq === null ? "–" : String(seq),
    String(fromCall),
    figure(tokens),
    `${exactly(callsResident)}×`,
    figure(lifetimeTokens),
    avoidableUsd === null ? `~${exactly(avoidableTokens)} tokens` : `~${dollars(avoidableUsd)}`,
    escaped(oneLine(fix)),
  ];
}

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
