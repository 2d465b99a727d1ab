// The beginning of an epoch: the system prompt, and one message of the user that holds what memory says and the turns
// that stayed. Exactly two messages, so that every provider takes it; what has nothing to say is left out.
import type { Message } from "../context/message.ts";
import { CompactionPolicy, type RecentTurnsStyle } from "./compaction-policy.ts";
import { recentTurns } from "./recent-turns.ts";
import { item, section } from "./snapshot-text.ts";
import { SEMANTIC_CATEGORIES } from "./memory-types.ts";
import type { MemoryBundle, RawTrace, SemanticCategory } from "./memory-types.ts";

export type SnapshotOptions = {
  readonly maxItemChars?: number;
  readonly recentTurnsStyle?: RecentTurnsStyle;
  /** 2: facts under their categories, the tail as the raw frontier, every line clamped. */
  readonly generation?: 1 | 2;
  /** Lines that name the artifacts which the summary took out of sight. */
  readonly artifacts?: readonly string[];
};

const CATEGORY_HEADINGS: Readonly<Record<SemanticCategory, string>> = {
  critical_issue: "[MEMORY:CRITICAL_ISSUES]",
  unresolved_work: "[MEMORY:UNRESOLVED_WORK]",
  user_preference: "[MEMORY:USER_PREFERENCES]",
  durable_fact: "[MEMORY:DURABLE_FACTS]",
  important_artifact: "[MEMORY:IMPORTANT_ARTIFACTS]",
};

export class CompactionSnapshotBuilder {
  readonly #policy: CompactionPolicy;
  readonly #options: SnapshotOptions;

  constructor(policy: CompactionPolicy = new CompactionPolicy(), options: SnapshotOptions = {}) {
    this.#policy = policy;
    this.#options = options;
  }

  build(
    systemPrompt: string | null,
    bundle: MemoryBundle,
    rawTail: readonly RawTrace[],
    options: SnapshotOptions = {},
  ): Message[] {
    const text = this.text(bundle, rawTail, options);
    return [
      ...(systemPrompt === null || systemPrompt === "" ? [] : [plain("system", systemPrompt)]),
      ...(text === "" ? [] : [plain("user", text)]),
    ];
  }

  /** What the message of the user says; empty when there is nothing to say. */
  text(bundle: MemoryBundle, rawTail: readonly RawTrace[], options: SnapshotOptions = {}): string {
    const request = { ...this.#options, ...options };
    const maxItemChars = request.maxItemChars ?? this.#policy.maxItemChars;
    const isSecond = request.generation === 2;
    const line = (mark: string, words: string): string => item(mark, words, maxItemChars);
    const tail = recentTurns(rawTail, {
      style: request.recentTurnsStyle ?? this.#policy.recentTurnsStyle,
      maxItemChars,
      clampsWords: isSecond,
    });
    return [
      ...section(
        "[MEMORY:EPISODIC]",
        // A summary was made to a budget of its own; only the second generation cuts it again.
        bundle.episodic.map(({ summary }, i) => item(`${i + 1}) `, summary, isSecond ? maxItemChars : Infinity)),
      ),
      ...(isSecond
        ? SEMANTIC_CATEGORIES.flatMap((category) =>
            section(
              CATEGORY_HEADINGS[category],
              bundle.semantic
                .filter((one) => (one.category ?? "durable_fact") === category)
                .map(({ fact }) => line("- ", fact)),
            ),
          )
        : section(
            "[MEMORY:SEMANTIC]",
            bundle.semantic.map(({ fact }) => line("- ", fact)),
          )),
      ...section(
        "[ARTIFACTS]",
        (request.artifacts ?? []).map((one) => line("- ", one)),
      ),
      ...section(isSecond ? "[RAW_FRONTIER]" : "[RECENT TURNS]", tail),
    ]
      .join("\n\n")
      .trim();
  }
}

const plain = (role: "system" | "user", content: string): Message => ({ role, content, toolPayload: null });
