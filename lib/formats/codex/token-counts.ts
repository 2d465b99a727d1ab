// Arithmetic of token counts as Codex writes them.
import { NO_USAGE, type Usage } from "#lib/kernel/draft.ts";
import { isObject } from "../json.ts";
import { asWhole } from "./read.ts";

/** Usage, and `total` as the agent counts it: it alone tells the size of a context that no call has had yet. */
export type Tokens = Usage & { readonly total: number };

/** What Codex tells apart: it names no lifetime of a cache and no fee. */
const FIELDS = ["inputUncached", "cacheRead", "cacheWrite", "output", "reasoning"] as const;

/** Codex counts cached and cache-written input as parts of the input. */
export function tokensOf(value: unknown): Tokens | null {
  if (!isObject(value)) return null;
  const input = asWhole(value["input_tokens"]) ?? 0;
  const cacheRead = Math.min(asWhole(value["cached_input_tokens"]) ?? 0, input);
  const written = asWhole(value["cache_write_input_tokens"]) ?? asWhole(value["cache_creation_input_tokens"]) ?? 0;
  const cacheWrite = Math.min(written, input - cacheRead);
  const output = asWhole(value["output_tokens"]) ?? 0;
  return {
    ...NO_USAGE,
    inputUncached: input - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output,
    reasoning: Math.min(asWhole(value["reasoning_output_tokens"]) ?? 0, output),
    total: asWhole(value["total_tokens"]) ?? input + output,
  };
}

export const usageOf = ({ total: _total, ...usage }: Tokens): Usage => usage;

export const isEmpty = (tokens: Tokens): boolean => FIELDS.every((field) => tokens[field] === 0);

export const isBelow = (tokens: Tokens): boolean => FIELDS.some((field) => tokens[field] < 0);

export const isSame = (a: Tokens, b: Tokens): boolean =>
  a.total === b.total && FIELDS.every((field) => a[field] === b[field]);

export const combine = (a: Tokens, b: Tokens, sign: 1 | -1): Tokens => ({
  ...NO_USAGE,
  inputUncached: a.inputUncached + sign * b.inputUncached,
  cacheRead: a.cacheRead + sign * b.cacheRead,
  cacheWrite: a.cacheWrite + sign * b.cacheWrite,
  output: a.output + sign * b.output,
  reasoning: a.reasoning + sign * b.reasoning,
  total: a.total + sign * b.total,
});
