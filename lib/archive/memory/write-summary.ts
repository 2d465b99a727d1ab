// The summary of a cut: of the log's own words, or by the model that a person set up. Behind it stand the artifacts that the
// cut named, so that what was offloaded can still be read back.
import { select } from "#db/statement.ts";
import { redactText } from "#lib/kernel/artifacts/redact.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { carriedArtifacts } from "#lib/kernel/memory/carried-artifacts.ts";
import { isSummarized } from "#lib/kernel/memory/compaction-policy.ts";
import { diagnosticsOf, withDiagnostics } from "#lib/kernel/memory/diagnostics.ts";
import type { PieceEvent } from "#lib/kernel/memory/extractive/input-from-events.ts";
import { leastBudget } from "#lib/kernel/memory/extractive/put-said.ts";
import type {
  RawTrace,
  SummarizedFact,
  Summarizer,
  SummarizerContext,
  SummarizerResult,
} from "#lib/kernel/memory/memory-types.ts";
import { RECALL_DEFAULTS } from "#lib/kernel/artifacts/recall.ts";
import type { CompactAnswer, CompactRequest } from "#lib/wire/memory-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { rowRange, seqOfRow } from "../base/row-keys.ts";
import { summarizerOf } from "../settings/summarizer-setting.ts";
import { storedTexts } from "./context-texts.ts";
import { countText, type Counted } from "./count-text.ts";
import { cutOf, isSummary, type Cut } from "./cut.ts";
import { sumOfMessages } from "./message-rows.ts";
import { contextAfter, type SessionContext } from "./session-context.ts";
import { editedSummary } from "./edited-summary.ts";
import { draftFor, inputKey, keepDraft } from "./summary-drafts.ts";
import type { EventTrace } from "./traces.ts";

/** What the Compactor is given of a session: a summary, and what is told and kept beside its items. */
export type SessionSummary = SummarizerResult & {
  readonly summarizer: string;
  readonly cut: Cut;
  /** Lines of the summary, with their events. */
  readonly summaryLines: CompactAnswer["lines"];
  readonly kept: CompactAnswer["kept"];
  /** Of a dry run by a model: what it said can be applied under this name. */
  readonly draft: string | null;
  readonly counted: Counted;
  /** The context that follows. */
  readonly after: ReturnType<typeof contextAfter>;
  readonly tokensAfter: number;
};

/** The summarizer that needs no model. */
export const EXTRACTIVE = "extractive";

type Line = CompactAnswer["lines"][number];

/** Share of the budget that the list of artifacts may take. */
const ARTIFACTS = 0.2;
/** Of a small one less: what the person said goes before it (characters, share). */
const SMALL = 1500;
const SMALL_ARTIFACTS = 0.1;

/** Summarizes what is cut of a session's context, by the log's own words or by the model that the request names. */
export const sessionSummarizer = (
  archive: Archive,
  session: SessionContext,
  request: CompactRequest,
): Summarizer<SessionSummary> => ({
  id: request.summarizer,
  async summarize(traces, context) {
    const cut = cutOf(session.context.log.rows, session.traces, { traces });
    const { texts } = session.context;
    const stored = await storedTexts(archive, cut.rows);
    const textOf = (seq: number): string | undefined => stored.get(seq) ?? texts.get(seq);
    const all = [...earlierPrompts(archive, session.session.pk, cut), ...cut.rows]
      .toSorted((a, b) => a.seq - b.seq)
      .map(({ seq, artifact, body }): PieceEvent => ({ seq, artifact, body: whole(body, textOf(seq)) }));
    const events = all.filter(({ body }) => isSummarized(body.type, request.toolEvents));
    const head: Line = { text: headOf(cut), seqs: [] };
    const budget = budgetOf(context.budgetChars ?? request.budgetChars, events);
    const behind = artifactLines(cut, budget);
    const budgetChars = Math.max(0, budget - lengthOf([head, ...behind]));
    const said = await (request.summarizer === EXTRACTIVE ? byExtract : byModel)(archive, {
      ...context,
      session,
      request,
      cut,
      events,
      stored,
      budgetChars,
    });
    const made = { lines: [head, ...said.lines, ...behind].map(masked), facts: said.facts };
    const { lines: result, facts } =
      request.lines === undefined
        ? made
        : editedSummary(made, request.lines.map(masked), new Set(cut.rows.map(({ seq }) => seq)));
    const summary = result.map(({ text }) => text).join("\n");
    const kept =
      (events.length === all.length && request.lines === undefined ? said.kept : null) ??
      (await archive.jobs.summarize({ events: all, budgetChars, given: summary, ...signalOf(context) })).kept;
    const counted = await countText(archive, session.session.pk, summary);
    const after = contextAfter(session.context, cut, summary, counted);
    const { summarizer, draft } = said;
    const { tokens: tokensAfter } = sumOfMessages(after.rows);
    return {
      summarizer,
      summary,
      facts,
      hasDiagnostics: true,
      cut,
      summaryLines: [...result],
      kept,
      draft,
      counted,
      after,
      tokensAfter,
    };
  },
});

type SummaryInput = SummarizerContext & {
  readonly session: SessionContext;
  readonly request: CompactRequest;
  readonly cut: Cut;
  readonly events: readonly PieceEvent[];
  readonly stored: ReadonlyMap<number, string>;
  readonly budgetChars: number;
};

type Said = {
  readonly summarizer: string;
  readonly lines: readonly Line[];
  readonly facts: readonly SummarizedFact[];
  /** Null: it is to be judged what the summary kept. */
  readonly kept: CompactAnswer["kept"] | null;
  readonly draft: string | null;
};

const signalOf = ({ signal }: SummarizerContext) => (signal === undefined ? {} : { signal });

async function byExtract(archive: Archive, request: SummaryInput): Promise<Said> {
  const { events, budgetChars, known = [] } = request;
  const made = await archive.jobs.summarize({ events, budgetChars, known, ...signalOf(request) });
  return {
    summarizer: EXTRACTIVE,
    lines: made.lines.map((line) => ({ text: line.text, seqs: [...line.seqs] })),
    facts: made.facts.map((one) => ({ ...one, fact: redactText(one.fact).text })),
    kept: made.kept,
    draft: null,
  };
}

async function byModel(archive: Archive, requested: SummaryInput): Promise<Said> {
  const { request, session, cut, events, stored, unit, turnIds, budgetChars, instructions } = requested;
  const model = modelFor(archive, request.summarizer);
  // What only marks the border of a step says nothing.
  const summarized = cut.traces.filter(({ traceType }) => isSummarized(traceType, request.toolEvents));
  const own = summarized.filter(({ eventSeq }) => eventSeq !== null).map((trace) => withStored(trace, stored));
  const traces = [...events.filter(({ body }) => isEarlier(body)).map(traceOf), ...own];
  const input = inputKey([session.session.pk, model.id, unit, turnIds, budgetChars, traces, instructions]);
  const made =
    request.draft === undefined
      ? await model.summarize(traces, { unit, turnIds, budgetChars, instructions, ...signalOf(requested) })
      : draftFor(archive, request.draft, input);
  const body = withDiagnostics(made.summary, diagnosticsOf(summarized), budgetChars);
  return {
    summarizer: model.id,
    lines: body.split("\n").map((text) => ({ text, seqs: [] })),
    facts: made.facts,
    kept: null,
    draft: request.dryRun ? keepDraft(archive, input, made) : null,
  };
}

/** The model of this name. Fails with `invalid` when it is not the one that was set up. */
export function modelFor(archive: Archive, name: string) {
  const model = summarizerOf(archive);
  if (model === null)
    fail("invalid", `No summarizer "${name}" is set up. Use extractive, or set up a model in Settings, Summarizer.`);
  const known = [model.id, model.id.slice(model.id.indexOf(":") + 1), "model"];
  if (!known.includes(name))
    fail(
      "invalid",
      `The model that is set up to summarise is "${model.id}", not "${name}". Use that one, or extractive.`,
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
function budgetOf(budgetChars: number, events: readonly PieceEvent[]): number {
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
  const rows = select(
    archive.sqlite,
    "events",
    ["id", "body"],
    "WHERE id BETWEEN ? AND ? AND type = 'user' AND starts_turn = 1 ORDER BY id",
  ).all(...rowRange(pk, 0, summary.seq));
  return rows
    .filter(({ id }) => !inContext.has(seqOfRow(id)))
    .map(({ id, body }) => ({ seq: seqOfRow(id), artifact: null, body: JSON.parse(body) as EventBody }));
}
