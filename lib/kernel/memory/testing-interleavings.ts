// An agent that talks, calls tools, is compacted and undone, all at any moment, on a store that takes its time. Whatever
// the order: nothing that was said is lost, no call is parted from its result, and epochs never go back.
import fc from "fast-check";
import { isAppError } from "../errors.ts";
import { callsOf, resultOf } from "../context/message.ts";
import { repairPairs } from "../log/repair.ts";
import { Compactor } from "./compactor.ts";
import { InMemoryMemoryStore } from "./in-memory-store.ts";
import { MemoryManager } from "./memory-manager.ts";
import { CompactionPolicy } from "./compaction-policy.ts";
import { LLMRequestAssembler } from "./request-assembler.ts";
import { testHost } from "./testing-memory.ts";
import { traceKey } from "./memory-types.ts";
import type { CompactionChange, CompactionRun, MemoryItem, MemorySnapshot, MemoryStore } from "./memory-types.ts";

type Act =
  | {
      readonly kind:
        | "user"
        | "assistant"
        | "call"
        | "two_calls"
        | "interrupt"
        | "manual"
        | "idle"
        | "budget"
        | "undo"
        | "wait"
        | "crash";
    }
  | { readonly kind: "turns" | "result"; readonly which: number }
  | { readonly kind: "summary"; readonly fails: boolean };

const act = (): fc.Arbitrary<Act> => {
  const plain = (...kinds: (Act & { readonly which?: never; readonly fails?: never })["kind"][]): fc.Arbitrary<Act> =>
    fc.record({ kind: fc.constantFrom(...kinds) });
  return fc.oneof(
    { weight: 5, arbitrary: plain("user", "assistant", "call", "two_calls") },
    { weight: 3, arbitrary: plain("interrupt", "manual", "idle", "budget", "undo", "wait") },
    { weight: 2, arbitrary: plain("manual", "idle", "wait") },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom<"turns" | "result">("turns", "result", "result"),
        which: fc.nat(5),
      }),
    },
    { weight: 1, arbitrary: plain("crash", "wait", "wait") },
    // Of four summaries one fails.
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant("summary" as const), fails: fc.nat(3).map((n) => n === 0) }),
    },
  );
};

const ticks = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await Promise.resolve();
};

const NEVER = new Promise<void>(() => undefined);

/** The store in RAM, whose writes are done a few ticks after they were asked for, one after the other. */
class SlowStore extends InMemoryMemoryStore {
  #last: Promise<void> = Promise.resolve();
  #takes: () => number;
  #life = 0;
  epochs: number[] = [];

  constructor(takes: () => number) {
    super();
    this.#takes = takes;
  }

  get life(): number {
    return this.#life;
  }

  /** Writes for a process of this life. */
  later(life: number, write: () => void): Promise<void> {
    if (life !== this.#life) return NEVER;
    const before = this.#last;
    const done = (async () => {
      await before.catch(() => undefined);
      await ticks(this.#takes());
      // A process that is gone writes nothing, and nobody is answered.
      if (life !== this.#life) return NEVER;
      return write();
    })();
    this.#last = done;
    return done;
  }

  /** The process that wrote is gone: what it had not written yet will not be. */
  kill(): void {
    this.#life++;
    this.#last = Promise.resolve();
  }

  keep(snapshot: MemorySnapshot): void {
    this.epochs.push(snapshot.epochId);
    this.writeSnapshot(snapshot);
  }
}

/** Traces are there at once, as a log that is appended to; whatever rewrites takes its time. */
function asStore(slow: SlowStore): MemoryStore {
  const { life } = slow;
  return {
    add: (items: readonly MemoryItem[]) => (life === slow.life ? slow.add(items) : undefined),
    list: (type, limit) => slow.list(type, limit),
    listTraces: () => slow.listTraces(),
    listArchived: () => slow.listArchived(),
    corpus: () => slow.corpus(),
    readSnapshot: () => slow.readSnapshot(),
    compact: (change: CompactionChange) => slow.later(life, () => slow.compact(change)),
    writeSnapshot: (snapshot) => slow.later(life, () => slow.keep(snapshot)),
    undo: (runId) => slow.later(life, () => slow.undo(runId)),
  };
}

export const interleavingsProperty = (): fc.IAsyncProperty<unknown> =>
  fc.asyncProperty(
    fc.array(act(), { maxLength: 60, size: "max" }),
    fc.array(fc.nat(6), { minLength: 1, maxLength: 10 }),
    fc.nat(2),
    async (acts, delays, rawTailTurns) => {
      const world = new World(delays, rawTailTurns);
      for (const one of acts) {
        await world.act(one);
        world.check();
      }
      await world.end();
      world.check();
      world.checkEnd();
    },
  );

class World {
  readonly #slow: SlowStore;
  readonly #policy: CompactionPolicy;
  readonly #host = testHost();
  #memory!: MemoryManager;
  #assembler!: LLMRequestAssembler;
  #runs: CompactionRun[] = [];
  readonly #complete: string[] = [];
  readonly #failures: string[] = [];
  /** Words that must be found, and those that were said before a crash, which the log alone may still know. */
  #said = new Set<string>();
  readonly #saidBefore = new Set<string>();
  readonly #open: { id: string; turn: string }[] = [];
  /** Calls of turns that were interrupted: their results may come all the same, when the calls are gone. */
  readonly #givenUp = new Set<string>();
  readonly #answered = new Set<string>();
  #pending: Promise<unknown>[] = [];
  #summaries: { finish: (fails: boolean) => void }[] = [];
  #epoch = 1;
  #ids = 0;
  #turn = "";

  constructor(delays: readonly number[], rawTailTurns: number) {
    let at = 0;
    this.#slow = new SlowStore(() => delays[at++ % delays.length]!);
    this.#policy = new CompactionPolicy({ rawTailTurns, maxEpisodicItems: 1000 });
    this.#start();
  }

  /** A process begins, on what the one before it left. */
  #start(): void {
    const store = asStore(this.#slow);
    const host = this.#host;
    const summaries: { finish: (fails: boolean) => void }[] = [];
    const runs: CompactionRun[] = [];
    [this.#summaries, this.#runs, this.#pending] = [summaries, runs, []];
    const compactor = new Compactor({
      store,
      host,
      policy: this.#policy,
      onRun: (run) => {
        runs.push(run);
        if (run.status === "complete") this.#complete.push(run.id);
      },
      summarizer: {
        summarize: (traces) => {
          if (summaries.length > 0) throw new Error("Two summaries are made at once.");
          const summary = traces.map((one) => [one.content, one.toolCallId, one.toolResult].join(" ")).join(" ");
          return new Promise((resolve, reject) => {
            const finish = (fails: boolean): void => {
              summaries.length = 0;
              if (fails) reject(new Error("The summarizer failed."));
              else resolve({ summary: `S ${summary}`, facts: [], hasDiagnostics: true });
            };
            summaries.push({ finish });
          });
        },
      },
    });
    this.#memory = MemoryManager.open({ store, host, compactor, agentId: "a", systemPrompt: "System" });
    this.#assembler = new LLMRequestAssembler(this.#memory, { render: (messages) => messages });
  }

  #crash(): void {
    this.#slow.kill();
    for (const word of this.#said) this.#saidBefore.add(word);
    this.#said = new Set();
    this.#start();
    // A kept context may be of an epoch before the last one that was begun but not written.
    this.#epoch = this.#memory.epochId;
    this.#turn = "";
  }

  /** A word that nothing else says. */
  #word(kind: string): string {
    const word = `<${kind}${++this.#ids}>`;
    this.#said.add(word);
    return word;
  }

  /** Asks for something that takes its time; conflicts and failed summaries are answers, too. */
  #ask(work: () => Promise<unknown>): void {
    this.#pending.push(
      work().catch((error: unknown) => {
        const isAnswer = isAppError(error) || String(error).includes("The summarizer failed.");
        if (!isAnswer) this.#failures.push(String(error));
      }),
    );
  }

  async act(one: Act): Promise<void> {
    const memory = this.#memory;
    if (one.kind === "user") {
      const turn = memory.startTurn();
      this.#turn = turn;
      const words = this.#word("user");
      memory.ingestUserMessage(words, turn);
      this.#ask(() => this.#assembler.prepareRequest(words, turn, "System"));
    } else if (one.kind === "assistant" && this.#turn !== "")
      this.#ask(async () => memory.ingestAssistantResponse({ content: this.#word("said") }, this.#turn));
    else if ((one.kind === "call" || one.kind === "two_calls") && this.#turn !== "") {
      const ids = Array.from({ length: one.kind === "call" ? 1 : 2 }, () => this.#word("call"));
      for (const id of ids) this.#open.push({ id, turn: this.#turn });
      memory.ingestToolIntents(
        ids.map((id) => ({ id, name: "run", arguments: { of: id } })),
        this.#turn,
      );
    } else if (one.kind === "result") this.#answer(one.which);
    else if (one.kind === "interrupt" && this.#turn !== "") {
      memory.interruptTurn(this.#turn);
      for (const { id, turn } of this.#open) if (turn === this.#turn) this.#givenUp.add(id);
    } else if (one.kind === "manual") this.#ask(() => memory.compactNow());
    else if (one.kind === "idle") this.#ask(() => memory.compactNow({ currentTurnId: null }));
    else if (one.kind === "budget") memory.requestCompaction();
    else if (one.kind === "turns")
      this.#ask(() => memory.compact([`turn_000${1 + one.which}`], { currentTurnId: this.#turn }));
    else if (one.kind === "undo") {
      const last = this.#complete.at(-1);
      if (last !== undefined) this.#ask(() => memory.undo(last));
    } else if (one.kind === "summary") this.#summaries[0]?.finish(one.fails);
    else if (one.kind === "crash") this.#crash();
    else await ticks(20);
    await ticks(1);
  }

  #answer(which: number): void {
    if (this.#open.length === 0) return;
    const { id } = this.#open.splice(which % this.#open.length, 1)[0]!;
    this.#answered.add(id);
    this.#memory.ingestToolResult({ toolName: "run", result: this.#word("result"), toolInvocationId: id }, this.#turn);
  }

  /** Everything that was asked for ends, and every call that is out is answered. */
  async end(): Promise<void> {
    for (let i = 0; i < 200 && this.#pending.length > 0; i++) {
      this.#summaries[0]?.finish(false);
      await ticks(20);
    }
    await Promise.all(this.#pending);
    await ticks(50);
    while (this.#open.length > 0) this.#answer(0);
  }

  check(): void {
    if (this.#failures.length > 0) throw new Error(this.#failures.join("; "));
    const kept = [...this.#slow.listTraces(), ...this.#slow.listArchived()];
    const keys = new Set(kept.map(traceKey));
    if (keys.size !== kept.length) throw new Error("A trace is both active and archived, or twice there.");
    if (this.#memory.epochId < this.#epoch) throw new Error("The epoch went back.");
    this.#epoch = this.#memory.epochId;
    const { epochs } = this.#slow;
    for (let i = 1; i < epochs.length; i++) if (epochs[i]! < epochs[i - 1]!) throw new Error("A kept epoch went back.");
    this.#checkPairs();
  }

  /** Every call that the context holds has its result there when it has one, and no result stands without its call. */
  #checkPairs(): void {
    const messages = this.#memory.getWorkingContextMessages();
    const called = new Set<string>();
    const answered = new Set<string>();
    for (const message of messages) {
      for (const { id } of callsOf(message)) called.add(id);
      const id = resultOf(message)?.toolCallId;
      if (id === undefined) continue;
      if (!called.has(id) && !this.#givenUp.has(id)) throw new Error(`The result of ${id} stands without its call.`);
      answered.add(id);
    }
    for (const id of called)
      if (this.#answered.has(id) && !answered.has(id)) throw new Error(`The call ${id} lost its result.`);
  }

  checkEnd(): void {
    const sent = repairPairs(this.#memory.projectMessages()).messages;
    const seen = JSON.stringify([sent, this.#slow.list("episodic")]);
    const logged = JSON.stringify(this.#slow.listTraces());
    for (const word of this.#said)
      if (!seen.includes(word)) throw new Error(`${word} is neither in context nor in memory.`);
    for (const word of this.#saidBefore)
      if (!seen.includes(word) && !logged.includes(word)) throw new Error(`${word} was lost with a crash.`);
    const complete = this.#runs.filter(({ status }) => status === "complete");
    if (this.#memory.epochId < 1 + complete.length) throw new Error("A compaction began no epoch.");
    const kept = this.#slow.readSnapshot();
    if (kept !== null && complete.length > 0 && kept.epochId !== this.#memory.epochId)
      throw new Error("The kept context is of another epoch.");
    const planned = this.#runs.filter(({ status }) => status === "planned").length;
    const failed = this.#runs.filter(({ status }) => status === "failed");
    if (planned !== complete.length + failed.length) throw new Error("A compaction has no end.");
  }
}
