// The dry run: what the new file would hold, line by line, and what the next prompt would weigh. Writing makes the same lines.
import { randomBytes, randomUUID } from "node:crypto";
import { estimateTokens } from "#lib/kernel/host.ts";
import { leastKnown } from "#lib/kernel/load/token-origin.ts";
import type { Continuation, ContinuationInput, ContinuationLine } from "#lib/kernel/continuation.ts";
import type { CarryOnPlan, CarryOnPlanRequest } from "#lib/wire/carry-on-schema.ts";
import { outsideMessages, sentCall } from "#lib/wire/outside-messages.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { requireSameBytes, requireSameRows } from "../base/unchanged-rows.ts";
import { countedWeightsOf, weightsOf, type Weights } from "../load/event-weights.ts";
import { sessionLoad } from "../load/session-load.ts";
import { partOf } from "../memory/cut.ts";
import { prepareCompaction, type CompactOptions } from "../memory/compact.ts";
import { positionOf } from "../memory/context.ts";
import { presentTokens, type ContextRow } from "../memory/context-rows.ts";
import { sessionContext, type SessionContext } from "../memory/session-context.ts";
import { headRecords, isOfAgent, keptRecords, stayingRows } from "./kept-records.ts";
import { originSession, originWarnings, type OriginSession } from "./origin-session.ts";
import { replacedOutputs, type ReplacedOutputs } from "./replaced-outputs.ts";
import { shellCommands } from "./shell-words.ts";

/** A plan, and what writes it. */
export type Handover = {
  readonly origin: OriginSession;
  readonly plan: CarryOnPlan;
  /** The lines of the file; each time the same. */
  readonly lines: () => Iterable<ContinuationLine>;
  readonly session: { readonly id: string; readonly at: number };
};

export async function planCarryOn(
  archive: Archive,
  name: string,
  request: CarryOnPlanRequest,
  options: CompactOptions = {},
): Promise<CarryOnPlan> {
  return (await planHandover(archive, name, request, options)).plan;
}

export async function planHandover(
  archive: Archive,
  name: string,
  request: CarryOnPlanRequest,
  options: CompactOptions = {},
): Promise<Handover> {
  const from = performance.now();
  const pk = findSession(archive, name);
  const origin = originSession(archive, pk);
  // A model that summarises takes a minute, in which its file may be read again.
  const checks = [requireSameRows(archive, pk), requireSameBytes(archive, origin.sourcePk, origin.readBytes)];
  const requireSame = (): void => checks.forEach((check) => check());
  // A page asks as far as texts are counted: counting the rest of a session of 100 MB takes 8 s.
  const { counted = false } = options;
  const weights = counted ? await countedWeightsOf(archive, pk) : weightsOf(archive, pk);
  const cut = await cutFor(archive, pk, request, weights, options);
  const { session, whole, summary } = cut;
  const { continuation } = origin;
  const opening = session.context.log.rows.findLast((row) => isOpening(row, continuation));
  const staying = stayingRows(session.context.log.rows, whole, continuation).filter((row) => row !== opening);
  const rows = opening === undefined ? staying : [opening, ...staying];
  const replaced: ReplacedOutputs =
    (request.envelopes ?? request.mode === "summary")
      ? await replacedOutputs(archive, pk, { rows, texts: session.context.texts }, request.over)
      : new Map();
  const at = archive.host.now();
  const made = { id: continuation.newSessionId(at, randomUUID(), randomBytes(16).toString("hex")), at };
  const ids: string[] = [];
  const lines = function* (): Generator<ContinuationLine> {
    requireSame();
    let next = 0;
    const input: ContinuationInput = {
      origin: origin.nativeId,
      title: titleOf(origin, request.mode),
      cwd: origin.cwd,
      ...made,
      newId: () => (ids[next++] ??= randomUUID()),
      summary: summary?.text ?? null,
      tokensBefore: session.tokensBefore,
      head: headRecords(archive, origin.sourcePk),
      opening: opening === undefined ? null : ([...keptRecords(archive, origin, [opening], replaced)][0] ?? null),
      records: keptRecords(archive, origin, staying, replaced),
    };
    yield* continuation.lines(input);
    requireSame();
  };
  const shown = shownLines(lines(), rows, replaced, summary?.tokens ?? 0);
  const inLines = new Set(shown.flatMap(({ seqs }) => seqs));
  const isOwn = (row: ContextRow): boolean => isOfAgent(row) || (row.isSent && row.body.type === "system");
  const own = whole.filter((row) => isOwn(row) && !inLines.has(row.seq));
  const prefix = hiddenPrefix(archive, session, weights) + sumOf(own);
  const after = shown.reduce((sum, { tokens }) => sum + tokens, 0);
  const path = continuation.pathOf(origin.path, made);
  const commands = resumeCommands(continuation, made.id, path ?? continuation.fileName(made), path !== null);
  const plan: CarryOnPlan = {
    status: cut.reason === null ? "planned" : "nothing",
    reason: cut.reason,
    sessionId: origin.id,
    mode: request.mode,
    at: session.at,
    agent: {
      label: origin.label,
      version: origin.version,
      isTried: origin.version !== null && continuation.versions.includes(origin.version),
      tried: [...continuation.versions],
    },
    path,
    command: shellCommands(commands, origin.cwd),
    sizeBytes: shown.reduce((sum, { bytes }) => sum + bytes, 0),
    summary: summary?.text ?? null,
    summaryLines: summary === null ? [] : [...summary.lines],
    draft: summary?.draft ?? null,
    lines: shown,
    tokens: {
      ...(await promptNow(archive, session, counted)),
      after,
      prefix,
      next: prefix + after,
      summary: summary?.tokens ?? 0,
      replaced: rows.reduce(
        (sum, row) => sum + (replaced.has(row.seq) ? presentTokens(row) - replaced.get(row.seq)!.tokens : 0),
        0,
      ),
      origin: leastKnown([session.origin, ...(summary === null ? [] : ["estimated" as const])]),
    },
    warnings: [
      ...(await originWarnings(origin)),
      ...(path === null
        ? [`The file does not lie in a folder of ${origin.label}. Name a folder for the new one.`]
        : []),
      ...shown.flatMap(({ kind, note }) => (kind === "closed" || kind === "changed" ? (note ?? []) : [])),
    ],
    ms: Math.round(performance.now() - from),
  };
  return { origin, plan, lines, session: made };
}

/** What goes on with a file, one command after the other. */
export const resumeCommands = (
  { handOver, resume }: Pick<Continuation, "handOver" | "resume">,
  id: string,
  path: string,
  isFound: boolean,
): (readonly string[])[] => [
  ...(handOver === undefined ? [] : [handOver({ id, path })]),
  resume({ id, path, isFound }),
];

const isOpening = ({ body }: ContextRow, { opening }: Continuation): boolean =>
  opening !== undefined && body.type === "user" && body.injected === opening;

type CutFor = {
  readonly session: SessionContext;
  readonly whole: readonly ContextRow[];
  readonly summary: {
    readonly text: string;
    readonly tokens: number;
    readonly lines: CarryOnPlan["summaryLines"];
    readonly draft: string | null;
  } | null;
  readonly reason: string | null;
};

async function cutFor(
  archive: Archive,
  pk: number,
  { mode, ...request }: CarryOnPlanRequest,
  weights: Weights,
  options: CompactOptions,
): Promise<CutFor> {
  if (mode === "fork") {
    const session = await sessionContext(archive, pk, { at: request.at, weights });
    return { session, whole: session.context.log.rows, summary: null, reason: null };
  }
  const made = await prepareCompaction(archive, pk, { ...request, dryRun: true }, options);
  const { session, prepared } = made;
  if (prepared === null)
    return {
      session,
      whole: [],
      summary: null,
      reason: `${made.reason ?? "There is nothing to summarise."} Or fork it without a summary.`,
    };
  const { cut, summary: text, summaryLines: lines, counted, draft } = prepared.made;
  return {
    session,
    whole: cut.whole,
    summary: { text, tokens: counted.tokens, lines: [...lines], draft },
    reason: null,
  };
}

const TITLE_CHARS = 200;

const titleOf = ({ title }: OriginSession, mode: CarryOnPlan["mode"]): string =>
  `${(title.trim() || "Session").replace(/\s+/g, " ").slice(0, TITLE_CHARS)} (${mode === "fork" ? "fork" : "carried on"})`;

/** The prompt of the old session, as the page of its compaction says it. */
async function promptNow(archive: Archive, session: SessionContext, counted: boolean) {
  const { at, tokensBefore, context } = session;
  const { calls } = await sessionLoad(archive, session.session.id, { counted });
  const parts = context.log.rows.filter(({ isSent }) => isSent).map(partOf);
  const { prefix, unattributed } = outsideMessages(calls, { at, tokensBefore, parts });
  const isReported = sentCall(calls, session) !== undefined;
  return {
    now: tokensBefore + prefix + unattributed,
    nowOrigin: isReported ? ("reported" as const) : session.origin,
    unattributed,
  };
}

/** What the last call before the cut was sent and no event holds. */
function hiddenPrefix(archive: Archive, { session: { pk }, at }: SessionContext, weights: Weights): number {
  const { call, before } = positionOf(archive, pk, at);
  const known = call ?? before;
  return known === null ? 0 : (weights.prefixOf(known.call) ?? 0);
}

const sumOf = (rows: readonly ContextRow[]): number => rows.reduce((sum, row) => sum + presentTokens(row), 0);

function shownLines(
  lines: Iterable<ContinuationLine>,
  rows: readonly ContextRow[],
  replaced: ReplacedOutputs,
  summaryTokens: number,
): CarryOnPlan["lines"] {
  const bySeq = new Map(rows.map((row) => [row.seq, row]));
  return Array.from(lines, ({ kind, text, seqs, note }) => {
    const own = seqs.flatMap((seq) => bySeq.get(seq) ?? []);
    const weight = (row: ContextRow): number => replaced.get(row.seq)?.tokens ?? presentTokens(row);
    const bytes = Buffer.byteLength(text) + 1;
    const tokens =
      kind === "summary"
        ? summaryTokens
        : kind === "closed"
          ? estimateTokens(Buffer.byteLength(note ?? ""))
          : own.reduce((sum, row) => sum + weight(row), 0);
    return {
      kind,
      label: own[0]?.label ?? (kind === "added" ? note : null) ?? LABELS[kind] ?? "",
      seqs: [...seqs],
      bytes,
      tokens,
      note,
    };
  });
}

const LABELS: Partial<Record<ContinuationLine["kind"], string>> = {
  summary: "Summary",
  closed: "Result for an open call",
  added: "Written by Plimsoll",
};
