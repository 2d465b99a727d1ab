// A compaction that a log of calls says beside them.
import type { EventBody } from "#lib/kernel/event.ts";
import { countOf, textOf, type Attributes } from "./otlp-values.ts";
import { COMPACTED } from "./span-kinds.ts";

type Kept = { readonly preserved: readonly string[]; readonly cleared: readonly string[] };

export function compactionBody(attributes: Attributes, { preserved, cleared }: Kept): EventBody {
  const tokensBefore = countOf(attributes, COMPACTED.before);
  const tokensAfter = countOf(attributes, COMPACTED.after);
  const about = { trigger: textOf(attributes, COMPACTED.by), tokensBefore, tokensAfter, text: "" };
  if (textOf(attributes, COMPACTED.how) === "edit")
    return { type: "compaction", kind: "micro", ...about, ...(cleared.length > 0 && { cleared: [...cleared] }) };
  return { type: "compaction", kind: "full", ...about, ...(preserved.length > 0 && { preserved: [...preserved] }) };
}
