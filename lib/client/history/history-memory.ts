/**
 * Memory for loops that send the whole history with each call, in any provider's shape. When the next prompt would be too near
 * the load line, the oldest turns become a summary; what a long turn has behind it, too. The newest messages stay as they are.
 * A history that begins as one did before gets the same summary again, so the provider's cache holds. The loop's own
 * list is never changed: what was cut is still there, and without this memory all of it would be sent.
 */
import { hash } from "node:crypto";
import { textOfValue } from "#lib/kernel/artifacts/pointer.ts";
import { CompactionPolicy, type ToolEventPolicy } from "#lib/kernel/memory/compaction-policy.ts";
import { DEFAULT_CONTEXT_TOKENS, resolveRequestCapacity } from "#lib/kernel/memory/budget.ts";
import { extractiveSummarizer } from "#lib/kernel/memory/extractive/extractive-summarizer.ts";
import type { CompactionTrigger, Summarizer } from "#lib/kernel/memory/memory-types.ts";
import { messageOf } from "#lib/kernel/tools/executed-call.ts";
import { RecentMap } from "./recent-map.ts";
import { CHARS_PER_TOKEN, charsOf, compactHistory, type Cut, type HistoryPart } from "./compact-history.ts";
import type { CompactedHistory } from "../conversation.ts";

export type MemoryOptions = {
  /** Tokens of the model's window; 200,000 when absent. */
  readonly contextTokens?: number;
  /** What the provider takes as input, where that is less. */
  readonly maxInputTokens?: number;
  /** Tokens of the window that the answer may need. */
  readonly maxOutputTokens?: number;
  readonly safetyMarginTokens?: number;
  /** Share of what is left above which the next call is compacted; 0.8 when absent. */
  readonly ratio?: number;
  /** Turns that stay whole, where there is room; 4 when absent. */
  readonly tail?: number;
  /** What of calls and results the summary is made of; all of it when absent. */
  readonly toolEvents?: ToolEventPolicy;
  /** `extractiveSummarizer` when absent: it asks no model. */
  readonly summarizer?: Summarizer;
  /** For a summarizer that is a model. */
  readonly instructions?: string;
  readonly onCompaction?: (report: CompactionReport) => void;
};

export type CompactionReport = {
  readonly status: "complete" | "nothing_to_compact" | "failed";
  readonly trigger: CompactionTrigger;
  /** Why there was nothing to do, or what failed: the call was sent as it was. */
  readonly reason: string | null;
  readonly summary: string;
  /** Messages that the summary stands for, in all. */
  readonly covered: number;
  /** Of the prompts: the first as the provider counted the call before, and what came since by its length. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
};

/** How a message of a provider is read and written. */
export type HistoryShape<M> = {
  /** Instructions stay where they are, and are no part of the history. */
  isSystem(message: M): boolean;
  read(message: M): readonly HistoryPart[];
  /** A message of the user. */
  summary(text: string): M;
};

export type FittedHistory<M> = {
  /** What is to be sent. */
  readonly messages: M[];
  /** The same messages as were given. */
  readonly isWhole: boolean;
  /** For the record: the compaction that was made for this call; null when none was. */
  readonly compacted: CompactedHistory | null;
  /** Takes the prompt's tokens, as the provider counted them. */
  answered(promptTokens: number): void;
};

type Weight = { readonly tokens: number; readonly chars: number };

/** Conversations that are remembered at once: each call of one leaves a weight. */
const MOST = 1000;

export class HistoryMemory {
  readonly #options: MemoryOptions;
  readonly #policy: CompactionPolicy;
  readonly #budget: { readonly inputBudget: number; readonly compactionRatio: number };
  /** By the hash of the messages that they cover. */
  readonly #cuts = new RecentMap<Cut>(MOST);
  /** By the hash of the messages that were sent. */
  readonly #weights = new RecentMap<Weight>(MOST);
  /** Turns in which a compaction made too little room: no second one is tried there. */
  readonly #stuck = new RecentMap<true>(MOST);

  constructor(options: MemoryOptions = {}) {
    const { contextTokens, maxInputTokens, maxOutputTokens, safetyMarginTokens, ratio, tail, toolEvents } = options;
    this.#options = options;
    this.#policy = new CompactionPolicy({
      ...(ratio !== undefined && { triggerRatio: ratio }),
      ...(tail !== undefined && { rawTailTurns: tail }),
      ...(toolEvents !== undefined && { toolEvents }),
      ...(safetyMarginTokens !== undefined && { safetyMarginTokens }),
      ...(options.instructions !== undefined && { instructions: options.instructions }),
    });
    const model = { maxContextTokens: contextTokens ?? DEFAULT_CONTEXT_TOKENS, maxInputTokens, maxOutputTokens };
    this.#budget = resolveRequestCapacity(model, {}, this.#policy)!;
  }

  /** The messages of the next call. Never rejects: where a compaction fails the history is sent as it is. */
  async fit<M>(messages: readonly M[], shape: HistoryShape<M>): Promise<FittedHistory<M>> {
    const history = messages.filter((one) => !shape.isSystem(one));
    const parts = history.map((one) => shape.read(one));
    const keys = keysOf(parts);
    let cut = this.#cuts.latest(keys);
    let report: CompactionReport | null = null;
    const tokensBefore = this.#tokensOf(keys, charsWith(parts, cut));
    const trigger = this.#policy.triggerOf(tokensBefore, this.#budget.inputBudget, this.#budget.compactionRatio);
    const turn = keys[parts.findLastIndex(isUser) + 1]!;
    if (trigger === null) this.#stuck.delete(turn);
    else if (this.#stuck.get(turn) === undefined) {
      this.#stuck.set(turn, true);
      const made = await this.#compact(parts, cut, tokensBefore);
      const reason = typeof made === "string" ? made : null;
      if (typeof made !== "string") this.#cuts.set(keys[made.count]!, (cut = made));
      const tokensAfter = this.#tokensOf(keys, charsWith(parts, cut));
      const status = reason === null ? "complete" : reason.startsWith(FAILED) ? "failed" : "nothing_to_compact";
      const summary = cut?.text ?? "";
      report = { status, trigger, reason, summary, covered: cut?.count ?? 0, tokensBefore, tokensAfter };
      this.#notify(report);
    }
    const chars = charsWith(parts, cut);
    return {
      messages: cut === undefined ? [...messages] : withSummary(messages, { history, parts, shape, cut }),
      isWhole: cut === undefined,
      compacted: report?.status === "complete" ? { ...report, ...keptOf(parts, report.covered) } : null,
      answered: (tokens) => {
        if (Number.isFinite(tokens) && tokens > 0) this.#weights.set(keys.at(-1)!, { tokens, chars });
      },
    };
  }

  /** A cut, or why there is none. */
  async #compact(
    parts: readonly (readonly HistoryPart[])[],
    before: Cut | undefined,
    tokens: number,
  ): Promise<Cut | string> {
    const summarizer = this.#options.summarizer ?? extractiveSummarizer;
    try {
      return await compactHistory(parts, {
        ...{ before, summarizer, policy: this.#policy },
        // Instructions and tools of the prompt take room too.
        inputBudget: this.#budget.inputBudget - Math.max(0, tokens - charsWith(parts, before) / CHARS_PER_TOKEN),
      });
    } catch (error) {
      return `${FAILED}${messageOf(error)}`;
    }
  }

  /** The last count of the provider, and what came or went since by its length. */
  #tokensOf(keys: readonly string[], chars: number): number {
    const last = this.#weights.latest(keys);
    const tokens = chars / CHARS_PER_TOKEN;
    if (last === undefined) return Math.round(tokens);
    return Math.round(Math.max(0, last.tokens + (chars - last.chars) / CHARS_PER_TOKEN));
  }

  #notify(report: CompactionReport): void {
    try {
      this.#options.onCompaction?.(report);
    } catch (error) {
      console.error(`onCompaction failed: ${messageOf(error)}`);
    }
  }
}

const FAILED = "The compaction failed: ";

const isUser = (parts: readonly HistoryPart[]): boolean => parts.some(({ type }) => type === "user");

const charsWith = (parts: readonly (readonly HistoryPart[])[], cut: Cut | undefined): number =>
  parts.slice(cut?.count ?? 0).reduce((sum, one) => sum + charsOf(one), cut?.text.length ?? 0);

/** What the record of a compaction names: the first message that stays, and before it what was asked in a turn that goes on. */
const keptOf = (parts: readonly (readonly HistoryPart[])[], count: number) => ({
  firstKept: parts[count]?.[0],
  asked: askedIn(parts, count)?.find(({ type }) => type === "user"),
});

/** Inside of a long turn: what the person asked for stays word for word. */
const askedIn = <T extends readonly HistoryPart[]>(parts: readonly T[], count: number): T | undefined =>
  parts.slice(count).some(isUser) ? undefined : parts.slice(0, count).findLast(isUser);

type Compacted<M> = {
  readonly history: readonly M[];
  readonly parts: readonly (readonly HistoryPart[])[];
  readonly shape: HistoryShape<M>;
  readonly cut: Cut;
};

/** Instructions stay, in their order. */
function withSummary<M>(messages: readonly M[], { history, parts, shape, cut }: Compacted<M>): M[] {
  const first = history[cut.count];
  const at = first === undefined ? messages.length : messages.indexOf(first);
  const asked = askedIn(parts, cut.count);
  const head = messages.slice(0, at).filter((one) => shape.isSystem(one));
  return [
    ...head,
    shape.summary(cut.text),
    ...(asked === undefined ? [] : [history[parts.indexOf(asked)]!]),
    ...messages.slice(at),
  ];
}

/** A name for each beginning of a history: of no message, of the first, of the first two. Instructions may change. */
function keysOf(parts: readonly (readonly HistoryPart[])[]): string[] {
  const keys = [""];
  for (const own of parts) {
    const before = keys.at(-1)!;
    keys.push(own.length === 0 ? before : hash("sha1", `${before} ${textOfValue(own)}`, "base64"));
  }
  return keys;
}
