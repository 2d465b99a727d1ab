// Pruning of a live context, an optional stage before compaction: old tool results lose their middle first, then their
// text, once the provider's cache of the prompt is cold anyhow. A result that is kept as an artifact becomes its envelope
// at once: nothing of it is lost. Only what is sent changes, never the log.
import { fitsPattern } from "../star-pattern.ts";
import { isEnvelope } from "../artifacts/envelope.ts";
import { textOfValue } from "../artifacts/pointer.ts";
import { countChars, headOf, tailOf } from "../artifacts/preview.ts";
import { jsonText } from "../json-text.ts";
import { callsOf, resultOf, type Message, type ToolResultPayload } from "./message.ts";

export type PruneConfig = {
  /** `cache-ttl`: prune when the last call is older than `ttlMs`. */
  readonly mode: "off" | "cache-ttl";
  readonly ttlMs: number;
  /** Results at and after the last so many answers of the model stay as they are. */
  readonly keepLastAssistants: number;
  /** Shares of the window at which results are trimmed, and at which they are cleared. */
  readonly softTrimRatio: number;
  readonly hardClearRatio: number;
  /** Nothing is cleared where the results that could be come to less than this. */
  readonly minPrunableToolChars: number;
  readonly softTrim: { readonly maxChars: number; readonly headChars: number; readonly tailChars: number };
  readonly hardClear: { readonly enabled: boolean; readonly placeholder: string };
  /** Names of tools, `*` for any characters. Deny goes before allow; an allow list that is not empty lets in nobody else. */
  readonly tools: { readonly allow: readonly string[]; readonly deny: readonly string[] };
};

export const PRUNE_DEFAULTS: PruneConfig = {
  mode: "off",
  ttlMs: 5 * 60_000,
  keepLastAssistants: 3,
  softTrimRatio: 0.3,
  hardClearRatio: 0.5,
  minPrunableToolChars: 50_000,
  softTrim: { maxChars: 4000, headChars: 1500, tailChars: 1500 },
  hardClear: { enabled: true, placeholder: "[Old tool result content cleared]" },
  tools: { allow: [], deny: [] },
};

const WINDOW_TOKENS = 200_000;
const CHARS_PER_TOKEN = 4;
const IMAGE_CHARS = 8000;

export type PruneInput = {
  readonly config?: Partial<PruneConfig>;
  readonly contextWindowTokens?: number | null;
  /** The envelope of a result that is kept as an artifact; null for one that is not. */
  readonly envelopeOf?: (message: Message) => string | null;
};

export type Pruned = {
  readonly messages: readonly Message[];
  /** Results that lost their middle, became an envelope, or a placeholder: by their position in the messages. */
  readonly trimmed: readonly number[];
  readonly enveloped: readonly number[];
  readonly cleared: readonly number[];
  readonly charsBefore: number;
  readonly charsAfter: number;
};

/** Prunes now, whatever the mode says. Nothing before the first user message is touched, nor a result with images. */
export function pruneContext(messages: readonly Message[], input: PruneInput = {}): Pruned {
  const config = { ...PRUNE_DEFAULTS, ...input.config };
  const room = (input.contextWindowTokens ?? WINDOW_TOKENS) * CHARS_PER_TOKEN;
  const charsBefore = messages.reduce((sum, message) => sum + charsOf(message), 0);
  const pruned = [...messages];
  const trimmed = new Set<number>();
  const enveloped: number[] = [];
  const cleared: number[] = [];
  let chars = charsBefore;
  const put = (position: number, text: string): void => {
    chars -= charsOf(pruned[position]!);
    pruned[position] = withText(pruned[position]!, text);
    chars += charsOf(pruned[position]!);
  };
  const result = (): Pruned => ({
    messages: trimmed.size + enveloped.length + cleared.length === 0 ? messages : pruned,
    trimmed: [...trimmed],
    enveloped,
    cleared,
    charsBefore,
    charsAfter: chars,
  });
  if (chars < config.softTrimRatio * room) return result();
  const positions = prunablePositions(messages, config);
  for (const position of positions) {
    const short = trimmedText(textOf(messages[position]!), config.softTrim);
    if (short === null) continue;
    // A middle that is nowhere else is lost; of an artifact it is only further away.
    const envelope = input.envelopeOf?.(messages[position]!) ?? null;
    put(position, envelope ?? short);
    if (envelope === null) trimmed.add(position);
    else enveloped.push(position);
  }
  const prunable = positions.reduce((sum, position) => sum + charsOf(pruned[position]!), 0);
  if (!config.hardClear.enabled || prunable < config.minPrunableToolChars) return result();
  for (const position of positions) {
    if (chars < config.hardClearRatio * room) break;
    const envelope = input.envelopeOf?.(messages[position]!) ?? null;
    const text = envelope ?? config.hardClear.placeholder;
    // What is as short already is worth more than a word that it was there.
    if (text.length >= textOf(pruned[position]!).length) continue;
    put(position, text);
    trimmed.delete(position);
    (envelope === null ? cleared : enveloped).push(position);
  }
  return result();
}

/** Prunes a conversation call by call: once when the cache of its prompt has gone cold, and then not before it may have again. */
export class ContextPruner {
  readonly #input: PruneInput;
  readonly #now: () => number;
  #touchedAt: number | null = null;

  /** `touchedAt`: when the last call was made, where another process made it. */
  constructor(host: { now(): number }, input: PruneInput, touchedAt: number | null = null) {
    this.#now = () => host.now();
    this.#input = input;
    this.#touchedAt = touchedAt;
  }

  /** A call was made: its prompt is in the provider's cache. */
  touch(): void {
    this.#touchedAt = this.#now();
  }

  /** Null when it is not the time, or nothing was there to prune. Before the first call nothing is known to be cold. */
  prune(messages: readonly Message[]): Pruned | null {
    const { mode, ttlMs } = { ...PRUNE_DEFAULTS, ...this.#input.config };
    if (mode === "off" || ttlMs <= 0 || this.#touchedAt === null || this.#now() - this.#touchedAt < ttlMs) return null;
    const pruned = pruneContext(messages, this.#input);
    if (pruned.messages === messages) return null;
    this.touch();
    return pruned;
  }
}

function prunablePositions(messages: readonly Message[], { keepLastAssistants, tools }: PruneConfig): number[] {
  const first = messages.findIndex(({ role }) => role === "user");
  const assistants = messages.flatMap(({ role }, i) => (role === "assistant" ? [i] : []));
  if (first < 0 || assistants.length < keepLastAssistants) return [];
  const end = keepLastAssistants < 1 ? messages.length : assistants.at(-keepLastAssistants)!;
  const isMeant = toolFilter(tools);
  return messages.flatMap((message, i) => {
    const result = resultOf(message);
    if (i < first || i >= end || result === null || hasImages(message) || !isMeant(result.toolName)) return [];
    return isEnvelope(textOf(message)) ? [] : [i];
  });
}

function toolFilter({ allow, deny }: PruneConfig["tools"]): (name: string) => boolean {
  const fits = (patterns: readonly string[], name: string): boolean =>
    patterns.some((pattern) => fitsPattern(pattern.trim(), name.trim()));
  return (name) => !fits(deny, name) && (allow.length === 0 || fits(allow, name));
}

/** Beginning and end with a note between them; null for a text that is short enough, or would not become shorter. */
function trimmedText(text: string, { maxChars, headChars, tailChars }: PruneConfig["softTrim"]): string | null {
  if (text.length <= maxChars) return null;
  const all = countChars(text);
  if (all <= maxChars || headChars + tailChars >= all) return null;
  const [head, tail] = [headOf(text, headChars), tailOf(text, tailChars)];
  const note = `[Tool result trimmed: kept first ${headChars} chars and last ${tailChars} chars of ${all} chars.]`;
  const short = `${head}\n...\n${tail}\n\n${note}`;
  return short.length < text.length ? short : null;
}

const textOf = (message: Message): string => {
  const result = resultOf(message);
  return result === null
    ? ""
    : (result.toolError ?? blocksText(result.toolResult) ?? textOfValue(result.toolResult ?? ""));
};

/** A result that is made of text blocks, as its text: cut as JSON it would be neither. Null for any other. */
function blocksText(value: unknown): string | null {
  const content = Array.isArray(value) ? value : (value as { content?: unknown } | null | undefined)?.content;
  if (!Array.isArray(content) || content.length === 0) return null;
  const texts = content.map((part: { type?: unknown; text?: unknown } | null) =>
    part?.type === "text" && typeof part.text === "string" ? part.text : null,
  );
  return texts.includes(null) ? null : texts.join("\n");
}

/** An error stays one. */
function withText(message: Message, text: string): Message {
  const result = resultOf(message)!;
  const toolPayload: ToolResultPayload =
    result.toolError === null ? { ...result, toolResult: text } : { ...result, toolResult: null, toolError: text };
  return { ...message, toolPayload };
}

const imagesOf = (message: Message): number => {
  const content = (resultOf(message)?.toolResult as { content?: unknown } | null | undefined)?.content;
  const parts = Array.isArray(content)
    ? content.filter((part: { type?: unknown } | null) => part?.type === "image")
    : [];
  return (message.imageUrls?.length ?? 0) + parts.length;
};
const hasImages = (message: Message): boolean => imagesOf(message) > 0;

function charsOf(message: Message): number {
  const calls = callsOf(message).reduce(
    (sum, call) => sum + call.name.length + jsonText(call.arguments ?? null).length,
    0,
  );
  const images = imagesOf(message);
  // The bytes of an image inside a result are no text of the prompt.
  const text = images > 0 && (message.imageUrls?.length ?? 0) === 0 ? 0 : textOf(message).length;
  const words = (message.content?.length ?? 0) + (message.reasoningContent?.length ?? 0);
  return words + calls + text + images * IMAGE_CHARS;
}
