// Tokens of a text that is in no row yet.
import { estimateTokens } from "#lib/kernel/host.ts";
import type { ItemClass } from "#lib/kernel/load/ledger-types.ts";
import type { Origin } from "#lib/wire/common-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { weightsOf } from "../load/event-weights.ts";
import { tokenizerOf } from "../base/session-rows.ts";

export type Counted = { readonly tokens: number; readonly origin: Origin; readonly textTokens: number };

/** What a text, a summary where nothing is said, would weigh in the session's next prompt: its text counted where a tokenizer fits the session's model. */
export async function countText(
  archive: Archive,
  pk: number,
  text: string,
  itemClass: ItemClass = "summary",
): Promise<Counted> {
  const id = tokenizerOf(archive, pk);
  const textTokens =
    id === "" ? estimateTokens(Buffer.byteLength(text)) : (await archive.host.tokenizers.load(id)).count(text);
  return { tokens: weightsOf(archive, pk).ofText(itemClass, textTokens), origin: "estimated", textTokens };
}
