// Keeps the context from one epoch to the next. A compaction takes time: what comes in meanwhile stands behind the new
// beginning, word for word; only one is under way at a time; and while it is being written nothing else writes a context.
import { fail } from "../errors.ts";
import type { Message } from "../context/message.ts";
import { carriedArtifacts } from "./carried-artifacts.ts";
import type { CompactionGate } from "./compaction-gate.ts";
import { messageOf, type CarryOutOptions, type Compactor } from "./compactor.ts";
import { beginningOf } from "./next-epoch.ts";
import type { CompactionPolicy } from "./compaction-policy.ts";
import type { Retriever } from "./retriever.ts";
import type { CompactionSnapshotBuilder } from "./snapshot-builder.ts";
import type {
  CompactionOutcome,
  CompactionPlan,
  CompactionRun,
  CompactionTrigger,
  Done,
  MemoryBundle,
  MemoryHost,
  MemorySnapshot,
  MemoryStore,
  RawTrace,
} from "./memory-types.ts";
import { WorkingContextSnapshot, type ContextEntry } from "./working-context.ts";

export type CompactNowOptions = {
  readonly trigger?: CompactionTrigger;
  /** The turn under way: it stays word for word. */
  readonly currentTurnId?: string | null;
  readonly systemPrompt?: string | null;
  readonly tailTurns?: number;
  /** Settled blocks, where no whole turn can be taken. By default where the budget asked, not where a person did. */
  readonly allowBlocks?: boolean;
  readonly budgetChars?: number;
  readonly signal?: AbortSignal;
};

export type EpochKeeperOptions = {
  readonly store: MemoryStore;
  readonly host: MemoryHost;
  readonly agentId: string | null;
  readonly generation: 1 | 2;
  readonly policy: CompactionPolicy;
  readonly compactor: Compactor | null;
  readonly retriever: Retriever;
  readonly builder: CompactionSnapshotBuilder;
  readonly gate: CompactionGate;
  readonly context: WorkingContextSnapshot;
  readonly keepsResponses: boolean;
  readonly pendingKeys: () => ReadonlySet<string>;
};

/** What the last compaction of this process put aside, and how many entries it put in their place. */
type Put = { readonly runId: string; readonly aside: readonly ContextEntry[]; readonly placed: number };

export class EpochKeeper {
  readonly #options: EpochKeeperOptions;
  #context: WorkingContextSnapshot;
  #underWay: Promise<CompactionOutcome> | null = null;
  /** A compaction or an undoing that somebody waits for. */
  #busy: Promise<unknown> | null = null;
  #isWriting = false;
  /** A context was not written, because another one was being written. */
  #hasSkipped = false;
  #put: Put | null = null;
  readonly #undone = new Set<string>();

  constructor(options: EpochKeeperOptions) {
    this.#options = options;
    this.#context = options.context;
  }

  get context(): WorkingContextSnapshot {
    return this.#context;
  }

  get builder(): CompactionSnapshotBuilder {
    return this.#options.builder;
  }

  /** A context of what memory says and of every turn that is still raw: none of them was summarized. */
  rebuild(systemPrompt: string | null, bundle: MemoryBundle): void {
    const { store, builder } = this.#options;
    const artifacts = carriedArtifacts(store.listArchived(), store.listTraces());
    for (const message of builder.build(systemPrompt, bundle, store.listTraces(), { artifacts }))
      this.#context.appendMessage(message);
  }

  keepResponse(): Done {
    return this.#options.keepsResponses ? this.#keep() : undefined;
  }

  reset(messages: readonly Message[]): Done {
    if (this.#busy !== null) fail("conflict", "This memory is being compacted. Wait for it, then set its context.");
    this.#context.reset(messages, this.#options.host.now() / 1000);
    this.#put = null;
    return this.#keep();
  }

  #keep(): Done {
    if (this.#isWriting) this.#hasSkipped = true;
    if (this.#isWriting || this.#options.agentId === null) return undefined;
    const { epochId, lastCompactionTs } = this.#context;
    const messages = this.#context.buildMessages();
    return this.#options.store.writeSnapshot(this.#snapshotOf({ epochId, lastCompactionTs, messages }));
  }

  #snapshotOf(context: Pick<MemorySnapshot, "epochId" | "lastCompactionTs" | "messages">): MemorySnapshot {
    return {
      agentId: this.#options.agentId ?? "",
      epochId: context.epochId,
      lastCompactionTs: context.lastCompactionTs,
      schemaVersion: this.#options.generation === 2 ? 3 : 1,
      messages: context.messages,
    };
  }

  async compactTurns(turnIds: readonly string[], options: CompactNowOptions): Promise<CompactionOutcome> {
    const compactor = this.#compactor();
    return this.#alone(async () => {
      const plan = compactor.planTurns(turnIds);
      return this.#carryOut(plan, options);
    });
  }

  async compactNow(options: CompactNowOptions): Promise<CompactionOutcome> {
    if (this.#underWay !== null) return this.#underWay;
    const isAutomatic = (options.trigger ?? "manual") !== "manual";
    const work = async (): Promise<CompactionOutcome> => {
      // An agent's next call waits for what a person has begun; a person is told.
      if (isAutomatic) while (this.#busy !== null) await this.#busy.catch(() => undefined);
      return this.#alone(() => this.#compactWhatCanBe(options));
    };
    this.#underWay = work().finally(() => {
      this.#underWay = null;
    });
    return this.#underWay;
  }

  async #compactWhatCanBe(options: CompactNowOptions): Promise<CompactionOutcome> {
    const { policy, gate } = this.#options;
    const compactor = this.#compactor();
    const { trigger = "manual", currentTurnId = null } = options;
    const isAutomatic = trigger !== "manual";
    gate.clear();
    const refusal = isAutomatic ? gate.refusal(currentTurnId) : null;
    if (refusal !== null) return ended(compactor.nothing(refusal, this.#factsOf(options)));
    const { plan, reason } = compactor.plan({
      tailTurns: options.tailTurns ?? policy.rawTailTurns,
      currentTurnId,
      allowBlocks: options.allowBlocks ?? isAutomatic,
    });
    if (plan === null) return ended(compactor.nothing(reason, this.#factsOf(options)));
    let failed: CompactionRun | null = null;
    try {
      const tokensBefore = gate.promptTokens;
      const outcome = await this.#carryOut(plan, options, (run) => (failed = run));
      if (isAutomatic && outcome.status === "complete") gate.ran(currentTurnId, tokensBefore, null);
      return outcome;
    } catch (error) {
      if (failed === null) throw error;
      if (isAutomatic) gate.ran(currentTurnId, gate.promptTokens, messageOf(error));
      // Told, not thrown: the agent goes on with the context that it has.
      return ended(failed);
    }
  }

  async #carryOut(
    plan: CompactionPlan,
    options: CompactNowOptions,
    onFailed?: (run: CompactionRun) => void,
  ): Promise<CompactionOutcome> {
    const { host, store } = this.#options;
    const before = [...this.#context.entries];
    this.#context.seal();
    const epochId = this.#context.epochId + 1;
    let lastCompactionTs: number | null = null;
    const beginning = store.readContext === undefined ? this.#beginningOf(plan.traces, before, options) : () => [];
    let begun: readonly ContextEntry[] = [];
    let written: number | null = null;
    try {
      const outcome = await this.#compactor().carryOut(plan, {
        ...this.#factsOf(options),
        epochAfter: epochId,
        onFailed,
        snapshotOf: (made) => {
          // Not before its items: whoever reads the files knows them by this time as its summary.
          lastCompactionTs = host.now() / 1000;
          begun = beginning(made);
          const entries = [...begun, ...this.#context.entries.slice(before.length)];
          written = entries.length;
          this.#isWriting = true;
          const messages = entries.map(({ message }) => message);
          return this.#options.agentId === null ? null : this.#snapshotOf({ epochId, lastCompactionTs, messages });
        },
      });
      if (outcome.result === null) return outcome;
      this.#put = { runId: outcome.run.id, aside: before, placed: begun.length };
      const next = (await store.readContext?.()) ?? [...begun, ...this.#context.entries.slice(before.length)];
      this.#context.reset(next, lastCompactionTs);
      // What follows stays apart from what was put in place: an undoing takes exactly that away again.
      this.#context.seal();
      this.#options.gate.beginEpoch();
      if (written !== this.#context.entries.length) this.#hasSkipped = true;
      return outcome;
    } finally {
      await this.#endWriting();
    }
  }

  #beginningOf(
    covered: readonly RawTrace[],
    entries: readonly ContextEntry[],
    { currentTurnId = null, systemPrompt = null }: CompactNowOptions,
  ): (made: MemoryBundle) => ContextEntry[] {
    const { store, retriever, policy, builder, pendingKeys } = this.#options;
    const facts = { store, retriever, policy, builder, pending: pendingKeys() };
    return beginningOf({ ...facts, covered, entries, currentTurnId, systemPrompt });
  }

  async undo(runId: string, currentTurnId: string | null): Promise<void> {
    if (this.#undone.has(runId)) return;
    return this.#alone(async () => {
      const { store } = this.#options;
      this.#isWriting = true;
      try {
        await store.undo!(runId);
        const put = this.#put?.runId === runId ? this.#put : null;
        const { entries } = this.#context;
        // Without what was put aside, by a process before this one, the traces that are back say it.
        const before =
          (await store.readContext?.()) ??
          (put === null
            ? this.#beginningOf([], entries, { currentTurnId })({ episodic: [], semantic: [] })
            : [...put.aside, ...entries.slice(put.placed)]);
        this.#undone.add(runId);
        this.#put = null;
        this.#context.raiseEpoch((store.readSnapshot()?.epochId ?? 1) - 1);
        this.#context.reset(before, this.#context.lastCompactionTs);
        this.#options.gate.beginEpoch();
        this.#hasSkipped = true;
      } finally {
        await this.#endWriting();
      }
    });
  }

  /** Contexts are written again; one that was skipped is written now. */
  async #endWriting(): Promise<void> {
    const hasSkipped = this.#hasSkipped;
    this.#isWriting = false;
    this.#hasSkipped = false;
    if (hasSkipped) await this.#keep();
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    if (this.#busy !== null) fail("conflict", "This memory is being compacted. Wait for it, then try again.");
    const done = work().finally(() => {
      this.#busy = null;
    });
    this.#busy = done;
    return done;
  }

  #compactor(): Compactor {
    return (
      this.#options.compactor ?? fail("unsupported", "This memory has no compactor. Give it one with a summarizer.")
    );
  }

  #factsOf(options: CompactNowOptions): CarryOutOptions {
    return {
      trigger: options.trigger ?? "manual",
      epochBefore: this.#context.epochId,
      tokensBefore: this.#options.gate.promptTokens,
      budgetChars: options.budgetChars,
      // The second generation's snapshot cuts each summary: what matters has to stand within.
      mostChars: this.#options.generation === 2 ? this.#options.policy.maxItemChars : undefined,
      signal: options.signal,
    };
  }
}

const ended = (run: CompactionRun): CompactionOutcome => ({
  status: run.status as CompactionOutcome["status"],
  reason: run.reason,
  run,
  result: null,
});
