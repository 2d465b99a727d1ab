// What an answer of CodeBuddy was charged. Up to three writers tell it in one record, and each may leave out a count that another has.
import { promptTokens, type Usage } from "#lib/kernel/draft.ts";
import { asArray, asCount, asObject, asWhole, type Json } from "../json.ts";
import { splitPrompt } from "../prompt-counts.ts";

const PROMPT = ["prompt_tokens", "inputTokens", "input_tokens"];

export function codeBuddyUsage(record: Json): Usage | null {
  const provider = asObject(record["providerData"]);
  const told = [provider["rawUsage"], provider["usage"], asObject(record["message"])["usage"]].map(asObject);
  const prompt = firstCount(told, PROMPT);
  const output = firstCount(told, ["completion_tokens", "outputTokens", "output_tokens"]);
  if (prompt === null && output === null) return null;
  const cached = Math.max(
    most(told, ["prompt_cache_hit_tokens", "cache_read_input_tokens", "cached_tokens"]),
    mostOfDetails(told, ["prompt_tokens_details", "inputTokensDetails"], "cached_tokens"),
  );
  const written = most(told, ["prompt_cache_write_tokens", "cache_creation_input_tokens"]);
  const reasoning = Math.max(
    most(told, ["completion_thinking_tokens"]),
    mostOfDetails(told, ["completion_tokens_details", "outputTokensDetails"], "reasoning_tokens"),
  );
  const all = (prompt ?? 0) + (output ?? 0);
  const total = firstCount(told, ["total_tokens", "totalTokens"]);
  // What was cached is a part of the prompt, unless the total says otherwise. Anthropic's counts alone have no total, and it stands beside.
  const isAlone = firstCount(told.slice(0, 2), PROMPT) === null;
  const isBeside = total === null ? isAlone : total === all + cached + written;
  const usage = splitPrompt({
    ...{ prompt: isBeside ? (prompt ?? 0) + cached + written : prompt, output },
    ...{ cached, written, reasoning },
  });
  return usage === null || promptTokens(usage) + usage.output === 0 ? null : usage;
}

/** The first count that is told at all: a copy of zeros says nothing. */
function firstCount(told: readonly Json[], names: readonly string[]): number | null {
  const counts = told.flatMap((one) => names.flatMap((name) => asWhole(one[name]) ?? []));
  return counts.find((count) => count > 0) ?? counts[0] ?? null;
}

const most = (told: readonly Json[], names: readonly string[]): number =>
  Math.max(0, ...told.flatMap((one) => names.map((name) => asCount(one[name]))));

/** Details are an object, or a list of them. */
const mostOfDetails = (told: readonly Json[], lists: readonly string[], name: string): number =>
  Math.max(
    0,
    ...told.flatMap((one) =>
      lists.flatMap((list) => [one[list], ...asArray(one[list])].map((detail) => asCount(asObject(detail)[name]))),
    ),
  );
