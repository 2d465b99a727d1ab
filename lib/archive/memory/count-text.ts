// Tokens of a text that is in no row yet.
import { estimateTokens } from "#lib/kernel/host.ts";
import type { Archive } from "../archive.ts";
import { tokenizerOf } from "../rows.ts";

export type Counted = { readonly tokens: number; readonly isEstimated: boolean };

/** Counted where a tokenizer fits the session's model, else estimated. */
export async function countText(archive: Archive, pk: number, text: string): Promise<Counted> {
  const id = tokenizerOf(archive, pk);
  if (id === "") return { tokens: estimateTokens(Buffer.byteLength(text)), isEstimated: true };
  return { tokens: (await archive.host.tokenizers.load(id)).count(text), isEstimated: false };
}
