// Carries a compaction out: summarize, then hand the store one change that holds everything. Whatever fails before that
// leaves memory as it was; nothing is taken away that a summary does not stand for.
import { fail } from "../errors.ts";
import { byTurn } from "./message-blocks.ts";
import { tracesOfTurns } from "./corpus.ts";
import { diagnosticsOf, withDiagnostics } from "./diagnostics.ts";
import { distinctFacts } from "./fact-key.ts";
import { episodicOf, semanticOf } from "./items.ts";
import { planCompaction, planOfTurns, type Planned, type PlanOptions } from "./plan.ts";
import { CompactionPolicy, isSummarized } from "./compaction-policy.ts";
import { normalizeFacts } from "./result-normalizer.ts";
import { advance } from "./run-states.ts";
import { traceKey } from "./memory-types.ts";
import type {
  CompactionOutcome,
  CompactionPlan,
  CompactionResult,
  CompactionRun,
  CompactionTrigger,
  MemoryBundle,
  MemoryHost,
  MemorySnapshot,
  MemoryStore,
  RawTrace,
  Summarizer,
  SummarizerResult,
} from "./memory-types.ts";
import { exactly } from "../exactly.ts";

/** What a context weighs before and after, and of that what is cut and what takes its place. */
export type Weighed = {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly cutTokens: number;
  readonly summaryTokens: number;
};

/** What a compaction needs of a store. */
export type CompactedStore<Made extends SummarizerResult = SummarizerResult> = Pick<
  MemoryStore<Made>,
  "list" | "listTraces" | "compact"
>;

export type CompactorOptions<Made extends SummarizerResult = SummarizerResult> = {
  readonly store: CompactedStore<Made>;
  readonly summarizer: Summarizer<Made>;
  readonly host: MemoryHost;
  readonly policy?: CompactionPolicy;
  /** What may be taken of the active traces; `planCompaction` where none is given. */
  readonly planner?: (traces: readonly RawTrace[], options: PlanOptions) => Planned;
  /** Where a context can be weighed: a summary that is no smaller than what it stands for is not taken. */
  weigh?(made: Made): Weighed;
  /** Told of every step of every compaction: none of them happens unseen. */
  readonly onRun?: (run: CompactionRun) => void;
};

export type CarryOutOptions = {
  readonly trigger?: CompactionTrigger;
  readonly epochBefore?: number;
  readonly epochAfter?: number;
  readonly tokensBefore?: number | null;
  readonly budgetChars?: number;
  /** Characters of the summary that the next context will show. */
  readonly mostChars?: number;
  readonly signal?: AbortSignal;
  /** The context that the next epoch begins with, given what the compaction makes. */
  readonly snapshotOf?: (made: MemoryBundle) => MemorySnapshot | null;
  /** Told of the run that failed, before its error is thrown. */
  readonly onFailed?: (run: CompactionRun) => void;
};

/** A compaction that was summarized, and not carried out yet. */
export type PreparedCompaction<Made extends SummarizerResult = SummarizerResult> = {
  readonly run: CompactionRun;
  readonly plan: CompactionPlan;
  readonly made: Made;
  readonly items: MemoryBundle;
};

export class Compactor<Made extends SummarizerResult = SummarizerResult> {
  readonly #options: CompactorOptions<Made>;
  readonly #store: CompactedStore<Made>;
  readonly #host: MemoryHost;
  readonly policy: CompactionPolicy;

  constructor(options: CompactorOptions<Made>) {
    this.#options = options;
    this.#store = options.store;
    this.#host = options.host;
    this.policy = options.policy ?? new CompactionPolicy();
  }

  /** The turns that a compaction takes; none is an empty list. */
  selectCompactionWindow(currentTurnId: string | null = null): readonly string[] {
    return this.plan({ tailTurns: this.policy.rawTailTurns, currentTurnId }).plan?.turnIds ?? [];
  }

  getTracesForTurns(turnIds: readonly string[]): RawTrace[] {
    return tracesOfTurns(this.#store.listTraces(), turnIds);
  }

  plan(options: PlanOptions): Planned {
    const { planner = planCompaction } = this.#options;
    return planner(this.#store.listTraces(), options);
  }

  /** The plan for turns by name. A turn that is not there, or cannot be taken yet, is an error. */
  planTurns(turnIds: readonly string[]): CompactionPlan {
    const active = this.#store.listTraces();
    const known = byTurn(active);
    const missing = turnIds.find((turnId) => !known.has(turnId));
    if (missing !== undefined)
      fail(
        "not_found",
        `No turn ${JSON.stringify(missing)} is active in this memory (${known.size} are). It may have been compacted already.`,
      );
    const { plan, reason } = planOfTurns(active, turnIds);
    return plan ?? fail("conflict", `${reason} Take it together with that, or wait.`);
  }

  /** Compacts these turns; null for none. What the summarizer throws is thrown, with nothing changed. */
  async compact(turnIds: readonly string[]): Promise<CompactionResult<Made> | null> {
    if (turnIds.length === 0) return null;
    return (await this.carryOut(this.planTurns(turnIds))).result;
  }

  /** A run that ended before it began, for the record. */
  nothing(reason: string, options: CarryOutOptions = {}): CompactionRun {
    return this.#note({
      ...this.#runOf(null, options),
      status: "nothing_to_compact",
      reason,
      endedAt: this.#host.now(),
    });
  }

  async carryOut(plan: CompactionPlan, options: CarryOutOptions = {}): Promise<CompactionOutcome<Made>> {
    const prepared = await this.prepare(plan, options);
    if (prepared.run.status === "nothing_to_compact")
      return { status: prepared.run.status, reason: prepared.run.reason, run: prepared.run, result: null };
    return this.apply(prepared, options);
  }

  /** Summarizes, and changes nothing. The run says `nothing_to_compact` where the summary would make no room. */
  async prepare(plan: CompactionPlan, options: CarryOutOptions = {}): Promise<PreparedCompaction<Made>> {
    const run = this.#note(this.#runOf(plan, options));
    return this.#orFailed(run, options, async () => {
      const { summarizer } = this.#options;
      const context = {
        unit: plan.unit,
        turnIds: plan.turnIds,
        budgetChars: options.budgetChars,
        mostChars: options.mostChars,
        known: this.#store.list("semantic").map(({ fact }) => fact),
        instructions: this.policy.instructions,
        signal: options.signal,
      };
      const made = checked(await summarizer.summarize(this.#summarized(plan), context));
      return { run: this.#note(this.#weighed(run, made)), plan, made, items: this.#itemsOf(plan, made, run.id) };
    });
  }

  #summarized({ traces }: CompactionPlan): readonly RawTrace[] {
    return traces.filter(({ traceType }) => isSummarized(traceType, this.policy.toolEvents));
  }

  #weighed(run: CompactionRun, made: Made): CompactionRun {
    const weighed = this.#options.weigh?.(made);
    if (weighed === undefined) return advance(run, "summarized");
    const { tokensBefore, tokensAfter, cutTokens, summaryTokens } = weighed;
    if (tokensAfter < tokensBefore) return advance(run, "summarized", { tokensBefore, tokensAfter });
    const reason = `The cut part (${exactly(cutTokens)} tokens) is not larger than its summary (${exactly(summaryTokens)}).`;
    return advance(run, "nothing_to_compact", { reason, endedAt: this.#host.now() });
  }

  /** Hands the store one change that holds everything. */
  async apply(prepared: PreparedCompaction<Made>, options: CarryOutOptions = {}): Promise<CompactionOutcome<Made>> {
    const { plan, made, items } = prepared;
    return this.#orFailed(prepared.run, options, async () => {
      this.#checkUnchanged(plan);
      const snapshot = options.snapshotOf?.(items) ?? null;
      const source = { run: prepared.run, plan, made };
      const remove = new Set(prepared.run.traceKeys);
      await this.#store.compact({ runId: prepared.run.id, ...items, remove, snapshot, source });
      const pruned = this.#note(advance(prepared.run, "pruned"));
      const ended = { epochAfter: options.epochAfter ?? null, endedAt: this.#host.now() };
      const run = this.#note(advance(pruned, "complete", ended));
      return { status: "complete", reason: null, run, result: { run, ...items, lines: made.lines ?? [], made } };
    });
  }

  #note(run: CompactionRun): CompactionRun {
    this.#options.onRun?.(run);
    return run;
  }

  /** Whatever fails is noted as a failed run before it is thrown. */
  async #orFailed<T>(run: CompactionRun, { onFailed }: CarryOutOptions, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const failed = this.#note({ ...run, status: "failed", reason: messageOf(error), endedAt: this.#host.now() });
      onFailed?.(failed);
      throw error;
    }
  }

  #runOf(plan: CompactionPlan | null, options: CarryOutOptions): CompactionRun {
    return {
      id: this.#host.newId(),
      trigger: options.trigger ?? "manual",
      unit: plan?.unit ?? null,
      status: "planned",
      reason: null,
      turnIds: plan?.turnIds ?? [],
      traceKeys: plan?.traces.map(traceKey) ?? [],
      epochBefore: options.epochBefore ?? 1,
      epochAfter: null,
      tokensBefore: options.tokensBefore ?? null,
      tokensAfter: null,
      startedAt: this.#host.now(),
      endedAt: null,
    };
  }

  /** Summarizing takes time: what was planned must still be there, and no result of it may have come meanwhile. */
  #checkUnchanged(plan: CompactionPlan): void {
    const active = new Set(this.#store.listTraces().map(traceKey));
    const gone = plan.traces.filter((trace) => !active.has(traceKey(trace)));
    if (gone.length > 0)
      fail(
        "conflict",
        `${gone.length} of ${plan.traces.length} planned traces left memory while they were summarized. Plan again.`,
      );
  }

  #itemsOf(plan: CompactionPlan, made: SummarizerResult, runId: string): MemoryBundle {
    const diagnostics = made.hasDiagnostics === true ? "" : diagnosticsOf(this.#summarized(plan));
    const summary = made.hasDiagnostics === true ? made.summary.trim() : withDiagnostics(made.summary, diagnostics);
    const { episodic, semantic } = { episodic: this.#store.list("episodic"), semantic: this.#store.list("semantic") };
    // What memory says in the same words already is not said again.
    const known = new Set(semantic.map(({ fact }) => fact));
    const facts = distinctFacts(normalizeFacts(made.facts)).filter(({ fact }) => !known.has(fact));
    return {
      episodic: [episodicOf({ ...made, summary }, plan.turnIds, runId, this.#host, episodic)],
      semantic: semanticOf(facts, runId, this.#host, semantic),
    };
  }
}

/** A summarizer may be a model, or written by others: what it gives is looked at before it takes anything's place. */
function checked<Made extends SummarizerResult>(made: Made): Made {
  if (typeof made?.summary !== "string" || made.summary.trim() === "")
    fail("invalid", "The summarizer gave no summary. Try again, or use another summarizer.");
  if (!Array.isArray(made.facts) || made.facts.some((fact) => typeof fact?.fact !== "string"))
    fail("invalid", "The summarizer gave facts without a text. Use another summarizer.");
  return made;
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
