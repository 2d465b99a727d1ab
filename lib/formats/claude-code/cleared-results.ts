// Results that the client itself sends shorter. A record may say so. From 2.1.330 on none does of old ones: only the request has the
// shorter texts, as blobs in front of its own record, since no other record has those messages.
import type { EventBody } from "#lib/kernel/event.ts";
import { asArray, asObject, asText, type Json } from "../json.ts";
import type { ClaudeState } from "./claude-state.ts";
import { readContent } from "./results.ts";

/** In the client's own words. A result that was too large at once has a line break behind its tag, and a preview. */
const CLEARED = /^(?:<persisted-output>Tool result saved to: |\[Old tool result content cleared\])/;
/** Results of one compaction, before it is told in two. */
const MOST = 200;

type Compaction = Extract<EventBody, { type: "compaction" }>;

/** Remembers what a message of a request has shorter; too much at once is told already. */
export function noteCleared(blob: Json, state: ClaudeState): Compaction | null {
  const told = state.cleared.length >= MOST ? clearingOf(state) : null;
  for (const block of asArray(asObject(blob["message"])["content"]).map(asObject)) {
    const id = asText(block["tool_use_id"]);
    if (block["type"] !== "tool_result" || id === null) continue;
    const { text } = readContent(block["content"]);
    if (CLEARED.test(text)) state.cleared.push([id, text]);
  }
  return told;
}

/** The micro compaction before a request; null where nothing was cleared. */
export function clearingOf(state: ClaudeState): Compaction | null {
  const { cleared } = state;
  state.cleared = [];
  return compactionOf(cleared);
}

/** What a record says of results whose texts are shorter from there on; of those of another conversation nothing. */
export function replacedResults(value: Json, state: ClaudeState): Compaction | null {
  const agentId = asText(value["agentId"]);
  if (agentId !== null && agentId !== state.agentId) return null;
  return compactionOf(
    asArray(value["replacements"]).flatMap((one): [string, string][] => {
      const { toolUseId, replacement } = asObject(one);
      const [id, text] = [asText(toolUseId), asText(replacement)];
      return id === null || text === null ? [] : [[id, text]];
    }),
  );
}

function compactionOf(cleared: readonly (readonly [toolCallId: string, text: string])[]): Compaction | null {
  if (cleared.length === 0) return null;
  return {
    type: "compaction",
    kind: "micro",
    trigger: null,
    tokensBefore: null,
    tokensAfter: null,
    text: cleared.map(([, text]) => text).join("\n"),
    cleared: cleared.map(([id]) => id),
    blocks: cleared.map(([, text]) => text.length),
  };
}
