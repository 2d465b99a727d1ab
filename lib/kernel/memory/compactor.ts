// Carries a compaction out: summarize, then hand the store one change that holds everything. Whatever fails before that
// leaves memory as it was; nothing is taken away that a summary does not stand for.
import { fail } from "../errors.ts";
import { byTurn } from "./message-blocks.ts";
import { diagnosticsOf, withDiagnostics } from "./diagnostics.ts";
import { distinctFacts } from "./fact-key.ts";
import { episodicOf, semanticOf } from "./items.ts";
import { planCompaction, planOfTurns, type CompactionPlan, type Planned, type PlanOptions } from "./plan.ts";
import { CompactionPolicy } from "./compaction-policy.ts";
import { normalizeFacts } from "./result-normalizer.ts";
import { advance } from "./run-states.ts";
import { traceKey } from "./memory-types.ts";
import type {
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

export type CompactorOptions = {
  readonly store: MemoryStore;
  readonly summarizer: Summarizer;
  readonly host: MemoryHost;
  readonly policy?: CompactionPolicy;
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

export class Compactor {
  readonly #store: MemoryStore;
  readonly #summarizer: Summarizer;
  readonly #host: MemoryHost;
  readonly #onRun: (run: CompactionRun) => void;
  readonly policy: CompactionPolicy;

  constructor(options: CompactorOptions) {
    this.#store = options.store;
    this.#summarizer = options.summarizer;
    this.#host = options.host;
    this.#onRun = options.onRun ?? (() => undefined);
    this.policy = options.policy ?? new CompactionPolicy();
  }

  /** The turns that a compaction takes; none is an empty list. */
  selectCompactionWindow(currentTurnId: string | null = null): readonly string[] {
    return this.plan({ tailTurns: this.policy.rawTailTurns, currentTurnId }).plan?.turnIds ?? [];
  }

  getTracesForTurns(turnIds: readonly string[]): RawTrace[] {
    const asked = new Set(turnIds);
    return this.#store.listTraces().filter(({ turnId }) => turnId !== null && asked.has(turnId));
  }

  plan(options: PlanOptions): Planned {
    return planCompaction(this.#store.listTraces(), options);
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
  async compact(turnIds: readonly string[]): Promise<CompactionResult | null> {
    if (turnIds.length === 0) return null;
    return this.carryOut(this.planTurns(turnIds));
  }

  /** A run that ended before it began, for the record. */
  nothing(reason: string, options: CarryOutOptions = {}): CompactionRun {
    const run = {
      ...this.#runOf(null, options),
      status: "nothing_to_compact" as const,
      reason,
      endedAt: this.#host.now(),
    };
    this.#onRun(run);
    return run;
  }

  async carryOut(plan: CompactionPlan, options: CarryOutOptions = {}): Promise<CompactionResult> {
    let run = this.#runOf(plan, options);
    const tell = (next: CompactionRun): CompactionRun => {
      this.#onRun(next);
      return next;
    };
    tell(run);
    try {
      const context = {
        unit: plan.unit,
        turnIds: plan.turnIds,
        budgetChars: options.budgetChars,
        mostChars: options.mostChars,
        known: this.#store.list("semantic").map(({ fact }) => fact),
        signal: options.signal,
      };
      const summary = checked(await this.#summarizer.summarize(plan.traces, context));
      run = tell(advance(run, "summarized"));
      this.#checkUnchanged(plan);
      const made = this.#itemsOf(plan, summary, run.id);
      const snapshot = options.snapshotOf?.(made) ?? null;
      await this.#store.compact({ runId: run.id, ...made, remove: new Set(run.traceKeys), snapshot });
      run = tell(advance(run, "pruned"));
      run = tell(advance(run, "complete", { epochAfter: options.epochAfter ?? null, endedAt: this.#host.now() }));
      return { run, ...made, lines: summary.lines ?? [] };
    } catch (error) {
      const failed = tell(advance(run, "failed", { reason: messageOf(error), endedAt: this.#host.now() }));
      options.onFailed?.(failed);
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
        `${gone.length} of ${plan.traces.length} planned traces left memory while they were summarized. Nothing was compacted; plan again.`,
      );
  }

  #itemsOf(plan: CompactionPlan, made: SummarizerResult, runId: string): MemoryBundle {
    const diagnostics = made.hasDiagnostics === true ? "" : diagnosticsOf(plan.traces);
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
function checked(made: SummarizerResult): SummarizerResult {
  if (typeof made?.summary !== "string" || made.summary.trim() === "")
    fail("invalid", "The summarizer gave no summary. Nothing was compacted; try again, or take another summarizer.");
  if (!Array.isArray(made.facts) || made.facts.some((fact) => typeof fact?.fact !== "string"))
    fail("invalid", "The summarizer gave facts without a text. Nothing was compacted; take another summarizer.");
  return made;
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
