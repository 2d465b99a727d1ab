// Model calls. A call is told several times (a line for each block of its answer), or after its events
// (a count that comes last): it is one row, numbered when it is first told, with the largest value of each field.
import { storedCallKey } from "../base/row-keys.ts";
import { usageOfRow } from "../base/usage-of-row.ts";
import { NO_USAGE, promptTokens, USAGE_FIELDS, type Draft, type Usage } from "#lib/kernel/draft.ts";
import type { SessionRow } from "./session-row.ts";
import type { Statements } from "./statements.ts";
import { addUsage, maxUsage, minusUsage } from "./session-counters.ts";

type CallDraft = Extract<Draft, { kind: "call" }>;
type Known = { call: number; usage: Usage; lowerBound: boolean; hasUsage: boolean };

/** Calls that have events but were not told yet, and events of each: files without usage never tell theirs. */
const OPEN_CALLS = 16;
const OPEN_EVENTS = 256;

/** Calls held in memory: the lines of one answer lie close together. */
const REMEMBERED = 64;

export class CallWriter {
  readonly #sql: Statements;
  readonly #session: SessionRow;
  readonly #known = new Map<string, Known>();

  constructor(sql: Statements, session: SessionRow) {
    this.#sql = sql;
    this.#session = session;
  }

  /** The number of the call that an event belongs to; null while the call itself was not told. */
  numberFor(key: string, seq: number, rowId: number): number | null {
    const known = this.#find(key);
    if (known !== null) return known.call;
    const { open } = this.#session.counters;
    if (!Object.hasOwn(open, key) && Object.keys(open).length >= OPEN_CALLS) delete open[Object.keys(open)[0]!];
    const rows = (open[key] ??= [seq]);
    if (rows.length <= OPEN_EVENTS) rows.push(rowId);
    return null;
  }

  /** The calls of one record. */
  writeAll(drafts: readonly Draft[]): void {
    if (!drafts.some(({ kind }) => kind === "call")) return;
    const ahead = eventsAhead(drafts);
    for (const draft of drafts) if (draft.kind === "call") this.#write(draft, ahead.get(draft.key) ?? 0);
  }

  #write(draft: CallDraft, ahead: number): void {
    const session = this.#session;
    const known = this.#find(draft.key);
    const usage = draft.usage ?? NO_USAGE;
    if (known === null) this.#insert(draft, usage, ahead);
    else {
      const merged = maxUsage(known.usage, usage);
      const change = minusUsage(merged, known.usage);
      const lowerBound = known.lowerBound && draft.outputLowerBound;
      if (known.lowerBound && !lowerBound) session.counters.lowerBound--;
      const hasUsage = known.hasUsage || draft.usage !== null;
      if (hasUsage && !known.hasUsage) session.counters.withoutUsage--;
      // Most lines of an answer repeat what the one before said.
      const isNews =
        lowerBound !== known.lowerBound || hasUsage !== known.hasUsage || USAGE_FIELDS.some((f) => change[f] > 0);
      if (isNews)
        this.#sql.updateCall.run(...values(merged), lowerBound ? 1 : 0, hasUsage ? 1 : 0, session.pk, known.call);
      this.#remember(draft.key, { call: known.call, usage: merged, lowerBound, hasUsage });
      addUsage(session.counters.usage, change);
      addUsage(session.counters.usageWithInherited, change);
      this.#weigh(known.call, merged, draft.ts);
    }
    if (typeof draft.window === "number" && draft.window > 0) session.window = draft.window;
  }

  #insert(draft: CallDraft, usage: Usage, ahead: number): void {
    const session = this.#session;
    const call = session.nextCall++;
    const events = draft.eventsKey ?? draft.key;
    const [firstSeq = session.nextSeq + (draft.follows ?? ahead), ...rowIds] = session.counters.open[events] ?? [];
    delete session.counters.open[events];
    const hasUsage = draft.usage !== null;
    this.#sql.insertCall.run(
      session.pk,
      call,
      storedCallKey(draft.key),
      firstSeq,
      draft.model,
      draft.ts,
      ...values(usage),
      draft.outputLowerBound ? 1 : 0,
      hasUsage ? 1 : 0,
      draft.window ?? null,
    );
    for (const rowId of rowIds) this.#sql.setEventCall.run(call, call, rowId);
    session.calls++;
    session.counters.calls.own++;
    if (draft.outputLowerBound) session.counters.lowerBound++;
    if (!hasUsage) session.counters.withoutUsage++;
    if (hasUsage && draft.counted === true) session.counters.counted++;
    addUsage(session.counters.usage, usage);
    addUsage(session.counters.usageWithInherited, usage);
    this.#remember(draft.key, { call, usage, lowerBound: draft.outputLowerBound, hasUsage });
    this.#weigh(call, usage, draft.ts);
  }

  #weigh(call: number, usage: Usage, ts: number | null): void {
    const session = this.#session;
    const prompt = promptTokens(usage);
    if (prompt === 0 || (ts ?? Infinity) < (session.counters.compactedAt ?? 0)) return;
    session.counters.lastTokens = prompt;
    session.counters.lastCall = call;
    if (session.peakTokens !== null && session.peakTokens >= prompt) return;
    session.peakTokens = prompt;
    session.peakCall = call;
  }

  #find(key: string): Known | null {
    const held = this.#known.get(key);
    if (held !== undefined) return held;
    const row = this.#sql.findCall.get(storedCallKey(key), this.#session.pk);
    if (row === undefined) return null;
    const usage = usageOfRow(row);
    const known = {
      call: row.call,
      usage,
      lowerBound: row.output_lower_bound === 1,
      hasUsage: row.has_usage === 1,
    };
    this.#remember(key, known);
    return known;
  }

  #remember(key: string, known: Known): void {
    this.#known.delete(key);
    this.#known.set(key, known);
    if (this.#known.size > REMEMBERED) this.#known.delete(this.#known.keys().next().value!);
  }
}

/** How many events of these stand ahead of each call: of its own first one, else of where it is told. A document is one record. */
function eventsAhead(drafts: readonly Draft[]): ReadonlyMap<string, number> {
  const ofEvents = new Map<string, number>();
  const ofCalls = new Map<string, number>();
  let events = 0;
  for (const draft of drafts) {
    if (draft.kind === "call" && !ofCalls.has(draft.key)) ofCalls.set(draft.key, events);
    if (draft.kind !== "event") continue;
    if (draft.callKey !== null && !ofEvents.has(draft.callKey)) ofEvents.set(draft.callKey, events);
    events++;
  }
  return new Map([...ofCalls, ...ofEvents]);
}

/** In the order of the statements' columns. */
const values = (usage: Usage) => USAGE_FIELDS.map((field) => usage[field]);
