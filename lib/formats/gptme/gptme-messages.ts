// One message of gptme as drafts. What a tool gave back is a message of the system, and so are the prompt and what gptme adds by itself.
import type { Draft, SessionPatch, Usage } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { disjointUsage } from "../disjoint-usage.ts";
import { asArray, asCost, asNumber, asObject, asText, asTime, asWhole, clip, type Json } from "../json.ts";
import { paired } from "../messages/call-pairing.ts";
import { eventAt, nameOf, noteAt, patchOf, printOf, type Position } from "../placed-drafts.ts";
import { reportedDrafts } from "../reported-sums.ts";
import { splitThought } from "../thought-tags.ts";
import { answerParts } from "./gptme-calls.ts";
import { gptmeCounts, type GptmeState } from "./gptme-state.ts";

export function gptmeDrafts(message: Json, range: Pick<Position, "byteStart" | "byteEnd">, state: GptmeState): Draft[] {
  const { role, content, timestamp } = message;
  const ts = asTime(timestamp);
  const position: Position = { lane: "", ts, key: printOf(jsonText([role, timestamp, content])), ...range };
  const text = asText(content) ?? "";
  const about = aboutDrafts(state);
  const files = asArray(message["files"]).map((file) =>
    noteAt(position, "file", clip(asText(file) ?? jsonText(file), 300)),
  );
  // Shown to the person alone.
  if (message["ui_only"] === true) return [...about, noteAt(position, "status", text), ...files];
  if (role === "assistant") return [...about, ...answerDrafts(message, text, position, state), ...files];
  if (role === "user") return [...about, ...promptDrafts(text, position, state), ...files];
  return [...about, eventAt(position, systemBody(message, text, state)), ...files];
}

function aboutDrafts(state: GptmeState): Draft[] {
  const { title, model, cwd } = state.about;
  state.model ??= model;
  const patch: SessionPatch = {
    agentName: "gptme",
    ...(title !== null && { title: clip(title, 300), titleRank: 1 as const }),
    ...(model !== null && { model }),
    ...(cwd !== null && { cwd }),
  };
  const named = printOf(jsonText(patch));
  if (named === state.named) return [];
  state.named = named;
  return [patchOf("", patch)];
}

function promptDrafts(text: string, position: Position, state: GptmeState): Draft[] {
  state.isBegun = true;
  // Runs without a person go on by such messages.
  const isClient = /^\s*<system>/.test(text);
  const injected = isClient ? { injected: "client" } : {};
  const body = paired({ type: "user", text, ...injected }, "", state.pairing);
  const hasTitle = state.hasTitle || isClient || text.trim() === "";
  if (!isClient) state.hasTitle ||= text.trim() !== "";
  return [
    ...(hasTitle ? [] : [patchOf("", { title: clip(text.trim(), 300), titleRank: 0 })]),
    eventAt(position, body, { startsTurn: !isClient }),
  ];
}

function systemBody(message: Json, text: string, { isBegun, pairing }: GptmeState): EventBody {
  if (!isBegun) return { type: "system", subtype: "prompt", text };
  const id = asText(message["call_id"]) || null;
  // Results come first; behind them gptme says what it has to say of time, budgets and lessons.
  const isResult = id === null ? pairing.open.length > 0 : pairing.open.some(([given]) => given === id);
  if (!isResult) return { type: "system", subtype: "message", text };
  const isError = /^\s*(?:error|failed)\b/i.test(text);
  return paired({ type: "tool_result", toolCallId: id, text, isError, saw: "full" }, "", pairing);
}

const [SIGNATURE, END] = ["<!-- think-sig:", "-->"];

/** A thought's signature is written into the text, as a comment. */
function unsigned(text: string): { readonly text: string; readonly signatureChars: number } {
  const parts: string[] = [];
  let [at, signatureChars] = [0, 0];
  for (let from = text.indexOf(SIGNATURE); from >= 0; from = text.indexOf(SIGNATURE, at)) {
    const end = text.indexOf(END, from);
    if (end < 0) break;
    parts.push(text.slice(at, from));
    signatureChars += text.slice(from + SIGNATURE.length, end).trim().length;
    at = end + END.length;
  }
  return { text: parts.join("") + text.slice(at), signatureChars };
}

/** Ids of calls that are remembered: one may come again. */
const USED = 64;

function answerDrafts(message: Json, text: string, position: Position, state: GptmeState): Draft[] {
  state.isBegun = true;
  const { pairing } = state;
  // A call without an id has its result before the next answer, or none.
  pairing.open = pairing.open.filter(([id]) => id !== null);
  const callKey = nameOf(position);
  const { text: said, signatureChars } = unsigned(text);
  const { thought, answer } = splitThought(said);
  const bodies: EventBody[] = [
    ...(thought === ""
      ? []
      : [{ type: "reasoning", text: thought, ...(signatureChars > 0 && { signatureChars }) } as const]),
    ...answerParts(answer).map((part, i): EventBody =>
      part.kind === "text"
        ? { type: "assistant", text: part.text }
        : paired(
            { type: "tool_call", toolCallId: part.id, toolName: part.tool, input: part.input },
            `${callKey}.${i}`,
            pairing,
          ),
    ),
  ];
  pairing.used = pairing.used.slice(-USED);
  const events = bodies.map((body) => eventAt(position, body, { callKey }));
  return [
    ...(events.length === 0 ? [noteAt(position, "empty message", "", { callKey })] : events),
    ...callDrafts(message, position, state),
  ];
}

function callDrafts(message: Json, position: Position, state: GptmeState): Draft[] {
  const metadata = asObject(message["metadata"]);
  const usage = usageIn(metadata);
  const model = asText(metadata["served_model"]) || asText(metadata["model"]) || state.model;
  const isNew = model !== null && model !== state.model;
  state.model = model;
  return [
    ...(isNew ? [patchOf("", { model })] : []),
    ...timingDrafts(asObject(metadata["timings"]), position),
    { kind: "call", lane: "", key: nameOf(position), ts: position.ts, model, usage, outputLowerBound: false },
    ...(usage === null ? [] : reportedDrafts(state.sums, model, usage, asCost(metadata["cost"]) ?? 0)),
  ];
}

/** Four counts that stand apart; what was thought is a part of the output. */
function usageIn(metadata: Json): Usage | null {
  const counts = gptmeCounts(metadata);
  const usage = disjointUsage({
    uncached: counts["input_tokens"],
    read: counts["cache_read_tokens"],
    write: counts["cache_creation_tokens"],
    output: counts["output_tokens"],
  });
  if (usage === null) return null;
  return { ...usage, reasoning: Math.min(asWhole(counts["reasoning_tokens"]) ?? 0, usage.output) };
}

function timingDrafts(timings: Json, position: Position): Draft[] {
  const [first, all] = [asNumber(timings["ttft_ms"]), asNumber(timings["gen_ms"])];
  if (first === null && all === null) return [];
  return [noteAt(position, "timings", clip(jsonText(timings), 300), { isRecord: false })];
}
