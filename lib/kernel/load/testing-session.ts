// A made-up session: an agent that reads, searches, edits and runs, turn by turn, with the prompt sizes and the cache that a
// provider would have reported. What each text truly weighs is hidden from the ledger: the counted tokens times a factor of
// its class and one of its own, beside reminders that the file does not show.
import { CONSTANTS, familyOf } from "./constants.ts";
import {
  NO_FACTS,
  type CompactionFacts,
  type EventFacts,
  type SessionLoadFacts,
  type ToolSchema,
} from "./culprits/culprit-types.ts";
import { weightOf } from "./estimate.ts";
import { buildLedger } from "./ledger.ts";
import type { CompactionPosition } from "./residency.ts";
import type { Chance } from "./testing-chance.ts";
import { seenLines } from "./seen-lines.ts";
import type { ItemClass, LedgerCallInput, Rates, WeighedEvent } from "./ledger-types.ts";
import type { WeighingCategory } from "./weigh.ts";

export type Setting = {
  readonly model: string;
  readonly loadLine: number;
  /** System prompt and tools, in tokens. */
  readonly prefix: number;
  /** What is attached again after a compaction. */
  readonly attached: number;
  readonly rates: Rates | null;
  readonly schemas: readonly ToolSchema[];
  /** Share of the load line at which the agent compacts. */
  readonly full: number;
};

export type Text = {
  readonly category: WeighingCategory;
  readonly itemClass: ItemClass;
  readonly label: string;
  readonly tokens: number;
  readonly toolName?: string;
  readonly signatureChars?: number;
  readonly isAnswer?: boolean;
  readonly startsTurn?: boolean;
};

export type Tool = {
  readonly name: string;
  readonly subject: string;
  readonly tokens: number;
  readonly path?: string;
  readonly range?: EventFacts["range"];
  readonly command?: string;
  readonly isError?: boolean;
  readonly writes?: boolean;
  /** Equal keys are equal bytes; absent: unlike all others. */
  readonly outputKey?: string;
  /** Calls after which it is named for the last time; null: never. */
  readonly usedFor: number | null;
};

type Held = { readonly seq: number; readonly tokens: number; readonly category: WeighingCategory };

/** Spread of the hidden factors: of a class in a session, and of one text. */
const CLASS_SIGMA = 0.1;
const TEXT_SIGMA = 0.12;

export class SessionScript {
  readonly setting: Setting;
  readonly chance: Chance;
  readonly calls: LedgerCallInput[] = [];
  readonly #events: WeighedEvent[] = [];
  readonly #facts = new Map<number, EventFacts>();
  readonly #compactions: (CompactionPosition & CompactionFacts)[] = [];
  readonly #factors = new Map<ItemClass, number>();
  #context: Held[] = [];
  #prefix: number;
  #hidden = 0;
  #seq = 0;
  #now = 1_770_000_000_000;
  #cached = 0;
  #model: string;
  readonly #isLowerBound: boolean;

  constructor(setting: Setting, chance: Chance) {
    this.setting = setting;
    this.chance = chance;
    this.#prefix = setting.prefix;
    this.#model = setting.model;
    this.#isLowerBound = chance.is(0.7);
  }

  get prompt(): number {
    return this.#prefix + this.#hidden + this.#context.reduce((sum, { tokens }) => sum + tokens, 0);
  }

  get model(): string {
    return this.#model;
  }

  get epoch(): number {
    return this.#compactions.length + 1;
  }

  /** Index that the next call will have. */
  get at(): number {
    return this.calls.length;
  }

  get isFull(): boolean {
    return this.prompt >= this.setting.full * this.setting.loadLine;
  }

  say(text: Text, call: number | null = null): number {
    const seq = ++this.#seq;
    const event: WeighedEvent = {
      seq,
      category: text.category,
      itemClass: text.itemClass,
      toolName: text.toolName ?? null,
      label: text.label,
      textTokens: text.signatureChars === undefined ? text.tokens : 0,
      isCounted: true,
      bytes: text.tokens * 4,
      signatureChars: text.signatureChars ?? 0,
      imageTokens: 0,
      call,
      startsTurn: text.startsTurn ?? false,
    };
    this.#events.push(event);
    const weight = weightOf(event, CONSTANTS[familyOf(this.#model, "claude-code")]);
    const tokens = Math.round(weight * this.#factorOf(text.itemClass) * this.chance.factor(TEXT_SIGMA));
    this.#context.push({ seq, tokens, category: text.category });
    return seq;
  }

  #factorOf(itemClass: ItemClass): number {
    const known = this.#factors.get(itemClass);
    if (known !== undefined) return known;
    const factor = this.chance.factor(CLASS_SIGMA);
    this.#factors.set(itemClass, factor);
    return factor;
  }

  user(tokens: number): void {
    if (CONSTANTS[familyOf(this.#model, "claude-code")].dropsReasoning(this.#model))
      this.#drop(({ category }) => category === "reasoning");
    this.say({ category: "user", itemClass: "user", label: "And now the next step", tokens, startsTurn: true });
  }

  /** A reminder that the file does not show. */
  inject(tokens: number): void {
    this.#hidden += tokens;
  }

  wait(minutes: number): void {
    this.#now += minutes * 60_000;
  }

  /** The cache is lost down to the prefix, or wholly. */
  loseCache(down = 0): void {
    this.#cached = Math.min(this.#cached, down);
  }

  switchModel(model: string): void {
    this.#model = model;
    this.loseCache();
  }

  /** One model call with its thought, its words and its tools. Returns the seqs of the results. */
  call(tools: readonly Tool[], { thought = 0, words = 0 }: { thought?: number; words?: number } = {}): number[] {
    const call = this.calls.length + 1;
    const prompt = this.prompt;
    const cacheRead = Math.min(this.#cached, prompt);
    const fresh = prompt - cacheRead;
    const writes = this.setting.rates === null || this.setting.rates.write !== this.setting.rates.uncached;
    const uncached = writes ? Math.min(fresh, this.chance.whole(2, 12)) : fresh;
    const firstSeq = this.#seq + 1;
    const before = this.prompt;
    if (thought > 0)
      this.say(
        {
          category: "reasoning",
          itemClass: "reasoning",
          label: "Let me think",
          tokens: Math.round(thought / 5),
          signatureChars: thought,
        },
        call,
      );
    if (words > 0 || tools.length === 0)
      this.say(
        { category: "assistant", itemClass: "assistant", label: "Here is what I do", tokens: Math.max(20, words) },
        call,
      );
    const request = tools.map((tool) => this.#ask(tool, call));
    this.calls.push({
      call,
      firstSeq,
      model: this.#model,
      ts: this.#now,
      uncached,
      cacheRead,
      cacheWrite: fresh - uncached,
      cacheWrite1h: 0,
      output: this.#isLowerBound ? this.chance.whole(1, 9) : Math.max(1, this.prompt - before),
      reasoning: 0,
      webSearches: 0,
      inherited: false,
      outputLowerBound: this.#isLowerBound,
      hasUsage: true,
    });
    this.#cached = prompt;
    const results = tools.map((tool, i) => this.#answer(tool, request[i]!));
    this.#now += this.chance.whole(3, 40) * 1000;
    return results;
  }

  #ask(tool: Tool, call: number): number {
    const label = `${tool.name} ${tool.subject}`;
    const tokens = tool.writes === true ? 40 + Math.round(tool.tokens / 2) : 30 + Math.round(label.length / 4);
    const seq = this.say({ category: "call", itemClass: "call", label, tokens, toolName: tool.name }, call);
    this.#facts.set(seq, this.#factsOf(tool, seq));
    return seq;
  }

  #answer(tool: Tool, callSeq: number): number {
    const label = `${tool.name} ${tool.subject}`;
    const seq = this.say({ category: "result", itemClass: "result", label, tokens: tool.tokens, toolName: tool.name });
    this.#facts.set(callSeq, { ...this.#facts.get(callSeq)!, pairSeq: seq });
    this.#facts.set(seq, {
      ...this.#factsOf(tool, seq),
      pairSeq: callSeq,
      outputKey: tool.outputKey ?? `bytes of ${seq}`,
      isError: tool.isError ?? false,
      lines: tool.path === undefined || tool.writes === true ? null : linesOf(tool.path),
      lastUsed: tool.usedFor === null ? null : this.calls.length + tool.usedFor,
    });
    return seq;
  }

  #factsOf(tool: Tool, seq: number): EventFacts {
    return {
      ...NO_FACTS,
      seq,
      path: tool.path ?? null,
      range: tool.range ?? null,
      command: tool.command ?? null,
      inputKey: `${tool.name} ${tool.subject} ${tool.range?.start ?? ""}`,
      writes: tool.writes ?? false,
      reading: tool.name === "Read" || tool.name === "Grep" ? "lines" : null,
    };
  }

  #drop(isGone: (held: Held) => boolean): void {
    const first = this.#context.findIndex(isGone);
    if (first < 0) return;
    const kept = this.#context.slice(0, first).reduce((sum, { tokens }) => sum + tokens, this.#prefix);
    this.loseCache(kept);
    this.#context = this.#context.filter((held) => !isGone(held));
  }

  /** A summary takes the place of all that was there; files are attached again beside it. */
  compact(): void {
    const seq = ++this.#seq;
    const tokensBefore = this.prompt;
    const nothing = new Set<number>();
    this.#compactions.push({
      seq,
      kind: "full",
      seqs: nothing,
      trigger: "auto",
      tokensBefore,
      tokensAfter: null,
      cleared: nothing,
    });
    this.#context = [];
    this.#hidden = 0;
    this.#prefix = this.setting.prefix + this.setting.attached;
    this.#cached = Math.min(this.#cached, this.setting.prefix);
    this.say({
      category: "memory",
      itemClass: "summary",
      label: "Summary of what was done",
      tokens: this.chance.whole(1800, 3600),
    });
  }

  /** What the detectors are given: the ledger reconciled with the prompts, never the hidden weights. */
  end(): SessionLoadFacts {
    // A use after the last call is none.
    const last = this.calls.length - 1;
    const facts = new Map(
      [...this.#facts].map(([seq, one]) => [
        seq,
        { ...one, lastUsed: one.lastUsed === null ? null : Math.min(last, one.lastUsed) },
      ]),
    );
    const { rates, schemas, loadLine } = this.setting;
    return {
      ledger: buildLedger({
        calls: this.calls,
        events: this.#events,
        compactions: this.#compactions,
        format: "claude-code",
      }),
      facts,
      compactions: this.#compactions,
      overflows: [],
      schemas,
      loadLine,
      ratesOf: () => rates,
    };
  }
}

/** A file shows the same lines whenever it is read. */
function linesOf(path: string): ReadonlyMap<number, number> {
  return seenLines(Array.from({ length: 24 }, (_, i) => `line ${i} of ${path}`).join("\n"));
}
