// The summary of a cut: of the log's own words, or by the model that a person set up. Behind it stand the artifacts that the
// cut named, so that what was offloaded can still be read back.
import { redactText } from "#lib/kernel/artifacts/redact.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { carriedArtifacts } from "#lib/kernel/memory/carried-artifacts.ts";
import { diagnosticsOf, withDiagnostics } from "#lib/kernel/memory/diagnostics.ts";
import type { PieceEvent } from "#lib/kernel/memory/extractive/input-from-events.ts";
import { leastBudget } from "#lib/kernel/memory/extractive/put-said.ts";
import { normalizeFacts } from "#lib/kernel/memory/result-normalizer.ts";
import type { RawTrace, SummarizedFact } from "#lib/kernel/memory/memory-types.ts";
import { RECALL_DEFAULTS } from "#lib/kernel/artifacts/recall.ts";
import type { CompactAnswer, CompactRequest } from "#lib/wire/memory-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { prepared } from "../base/statement-cache.ts";
import { rowRange, seqOfRow } from "../base/row-keys.ts";
import { summarizerOf } from "../settings/summarizer-setting.ts";
import { storedTexts } from "./context-texts.ts";
import { isSummary, type Cut } from "./cut.ts";
import { knownFacts } from "./known-facts.ts";
import { draftFor, inputKey, keepDraft } from "./summary-drafts.ts";
import type { EventTrace } from "./traces.ts";

export type CompactionSummary = {
  readonly summarizer: string;
  readonly text: string;
  readonly lines: CompactAnswer["lines"];
  readonly facts: readonly SummarizedFact[];
  readonly kept: CompactAnswer["kept"];
  /** Of a dry run by a model: what it said can be applied under this name. */
  readonly draft: string | null;
};

/** The summarizer that needs no model. */
export const EXTRACTIVE = "extractive";

type Asked = {
  readonly cut: Cut;
  readonly texts: ReadonlyMap<number, string>;
  readonly request: CompactRequest;
  readonly signal?: AbortSignal | undefined;
};

type Line = CompactAnswer["lines"][number];

/** Share of the budget that the list of artifacts may take. */
const ARTIFACTS = 0.2;
/** Of a small one less: what the person said goes before it (characters, share). */
const SMALL = 1500;
const SMALL_ARTIFACTS = 0.1;

export async function summaryOf(archive: Archive, pk: number, asked: Asked): Promise<CompactionSummary> {
  const { cut, texts, request, signal } = asked;
  const stored = await storedTexts(archive, cut.rows);
  const textOf = (seq: number): string | undefined => stored.get(seq) ?? texts.get(seq);
  const events = [...earlierPrompts(archive, pk, cut), ...cut.rows]
    .toSorted((a, b) => a.seq - b.seq)
    .map(({ seq, artifact, body }): PieceEvent => ({ seq, artifact, body: whole(body, textOf(seq)) }));
  const head: Line = { text: headOf(cut), seqs: [] };
  const budget = budgetOf(request, events);
  const behind = artifactLines(cut, budget);
  const budgetChars = Math.max(0, budget - lengthOf([head, ...behind]));
  const told = signal === undefined ? {} : { signal };
  if (request.summarizer === EXTRACTIVE) {
    const made = await archive.jobs.summarize({ events, budgetChars, known: knownFacts(archive, pk), ...told });
    const lines = [head, ...made.lines.map((line) => ({ text: line.text, seqs: [...line.seqs] })), ...behind].map(
      masked,
    );
    return {
      summarizer: EXTRACTIVE,
      text: joined(lines),
      lines,
      facts: normalizeFacts(made.facts.map((one) => ({ ...one, fact: redactText(one.fact).text }))),
      kept: made.kept,
      draft: null,
    };
  }
  const model = modelFor(archive, request.summarizer);
  // What only marks the border of a step says nothing.
  const own = cut.traces.filter(({ eventSeq }) => eventSeq !== null).map((trace) => withStored(trace, stored));
  const traces = [...events.filter(({ body }) => isEarlier(body)).map(traceOf), ...own];
  const turnIds = [...new Set(cut.traces.flatMap(({ turnId }) => turnId ?? []))];
  const input = inputKey([pk, model.id, cut.unit, turnIds, budgetChars, traces]);
  const made =
    request.draft === undefined
      ? await model.summarize(traces, { unit: cut.unit, turnIds, budgetChars, ...told })
      : draftFor(archive, request.draft, input);
  const draft = request.dryRun ? keepDraft(archive, input, made) : null;
  const body = withDiagnostics(made.summary, diagnosticsOf(cut.traces), budgetChars);
  const lines = [head, ...body.split("\n").map((text): Line => ({ text, seqs: [] })), ...behind].map(masked);
  const judged = await archive.jobs.summarize({ events, budgetChars, given: joined(lines), ...told });
  return {
    summarizer: model.id,
    text: joined(lines),
    lines,
    facts: normalizeFacts(made.facts),
    kept: judged.kept,
    draft,
  };
}

/** The model of this name. Fails with `invalid` when it is not the one that was set up. */
export function modelFor(archive: Archive, name: string) {
  const model = summarizerOf(archive);
  if (model === null)
    fail("invalid", `No summarizer "${name}" is set up. Take extractive, or set up a model in Settings, Summarizer.`);
  const known = [model.id, model.id.slice(model.id.indexOf(":") + 1), "model"];
  if (!known.includes(name))
    fail(
      "invalid",
      `The model that is set up to summarise is "${model.id}", not "${name}". Take that one, or extractive.`,
    );
  return model;
}

function headOf({ turns, rows }: Cut): string {
  const [first, last] = [turns[0]!, turns.at(-1)!];
  const of = first === last ? `turn ${first}` : `turns ${first}–${last}`;
  // An earlier summary stands before what it covers, with a later number: the range is that of the other events.
  const own = rows.filter((row) => !isSummary(row)).map(({ seq }) => seq);
  const [from, to] = [Math.min(...own), Math.max(...own)];
  const folded = own.length < rows.length ? ", with the summary before them" : "";
  return `Summary of ${of} (events ${from}–${to})${folded}.`;
}

/** A third of what it stands for, for a short cut: a longer summary of little is no summary. What the person said needs its room. */
function budgetOf({ budgetChars }: CompactRequest, events: readonly PieceEvent[]): number {
  const chars = events.reduce((sum, { body }) => sum + ("text" in body ? body.text : JSON.stringify(body)).length, 0);
  const messages = events.flatMap(({ seq, body }) =>
    body.type === "user" && body.injected === undefined && body.text.trim() !== "" ? [{ seq, text: body.text }] : [],
  );
  const least = Math.max(LIMITS.summaryLeastChars, leastBudget(messages) + HEAD_CHARS);
  return Math.min(budgetChars, Math.max(least, Math.ceil(chars / 3)));
}

/** The line that says what the summary stands for. */
const HEAD_CHARS = 120;

function artifactLines({ traces, tailTraces }: Cut, budget: number): Line[] {
  const share = budget < SMALL ? SMALL_ARTIFACTS : ARTIFACTS;
  const maxChars = Math.min(RECALL_DEFAULTS.maxChars, Math.floor(budget * share));
  const names = carriedArtifacts(traces, tailTraces, { maxItems: RECALL_DEFAULTS.maxItems, maxChars });
  return names.length === 0
    ? []
    : [{ text: "[ARTIFACTS]", seqs: [] }, ...names.map((name) => ({ text: `- ${name}`, seqs: [] }))];
}

/** A model reads what came out, too: the envelope names where it is kept. */
function withStored(trace: EventTrace, stored: ReadonlyMap<number, string>): EventTrace {
  const text = trace.eventSeq === null ? undefined : stored.get(trace.eventSeq);
  if (text === undefined || typeof trace.toolResult !== "string") return trace;
  return { ...trace, toolResult: `${text}\n${trace.toolResult}` };
}

const masked = ({ text, seqs }: Line): Line => ({ text: redactText(text).text, seqs });
const joined = (lines: readonly Line[]): string => lines.map(({ text }) => text).join("\n");
const lengthOf = (lines: readonly Line[]): number => lines.reduce((sum, { text }) => sum + text.length + 1, 0);

const whole = (body: EventBody, text: string | undefined): EventBody =>
  text === undefined || !("text" in body) ? body : { ...body, text };

/** What stands before the cut's own words: an earlier summary, and prompts that only it tells of. */
const isEarlier = (body: EventBody): boolean =>
  body.type === "compaction" || (body.type === "user" && body.injected === "summary");

const traceOf = ({ seq, body }: PieceEvent): RawTrace => ({
  id: `event_${seq}`,
  ts: 0,
  turnId: null,
  seq,
  traceType: "note",
  content: "text" in body ? body.text : "",
  sourceEvent: "archive",
});

/**
 * Where an earlier summary goes too, what the person said before it is taken from the log again: a summary of a summary
 * loses what was asked.
 */
function earlierPrompts(archive: Archive, pk: number, cut: Cut): { seq: number; artifact: null; body: EventBody }[] {
  const summary = cut.rows.find(isSummary);
  if (summary === undefined) return [];
  const inContext = new Set([...cut.rows, ...cut.whole].map(({ seq }) => seq));
  const rows = prepared(
    archive.sqlite,
    "SELECT id, body FROM events WHERE id BETWEEN ? AND ? AND type = 'user' AND starts_turn = 1 ORDER BY id",
  ).all(...rowRange(pk, 0, summary.seq)) as { id: number; body: string }[];
  return rows
    .filter(({ id }) => !inContext.has(seqOfRow(id)))
    .map(({ id, body }) => ({ seq: seqOfRow(id), artifact: null, body: JSON.parse(body) as EventBody }));
}
