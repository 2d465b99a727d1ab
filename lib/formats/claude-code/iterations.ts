// What the provider sampled for one answer, where that is more than the answer itself: usage.iterations. By Anthropic's documentation each
// is billed. The counts above them hold the answer's own, added up or of the first alone: never a compaction's, an advisor's, or those
// of a model that declined. Each is a call of its own here, so that its prompt is a prompt that was sent, at the price of its model.
import { promptTokens, USAGE_FIELDS, type Draft, type Usage } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { variantOf } from "#lib/kernel/load/model-variants.ts";
import { asArray, asObject, asText, type Json } from "../json.ts";
import { readUsage } from "./answers.ts";

export type CallDraft = Extract<Draft, { kind: "call" }>;
type Iteration = { readonly type: string; readonly model: string | null; readonly usage: Usage; readonly key: string };

/** An advisor reads the conversation by itself: its run is a sub-agent's. */
const ADVISOR = "advisor";

/** The call of an answer, told with `usage`, among all that were sampled for it. */
export function sampledCalls(call: CallDraft, usage: Json): Draft[] {
  const all = asArray(usage["iterations"]).map((one, at) => iteration(asObject(one), `${call.key}/${at}`));
  const server = all.find(({ type }) => type === "fallback_message")?.model ?? null;
  const isDeclined = ({ type, model }: Iteration): boolean =>
    type === "message" && server !== null && model !== null && model !== server;
  // Told where it stands, and not behind so many events as the answer's call.
  const { follows: _, ...told } = call;
  const of = ({ key, usage: own }: Iteration, model = call.model): CallDraft => ({
    ...told,
    ...{ key, model, usage: own, outputLowerBound: false },
  });
  /** Of another model: what the request was asked for holds for it too, but speed. */
  const elsewhere = (one: Iteration): CallDraft => of(one, variantOf(one.model, { ...usage, speed: null }));
  const [first, ...later] = ownCalls(
    call,
    all.filter((one) => (one.type === "message" || one.type === "fallback_message") && !isDeclined(one)),
  );
  return [
    ...all.filter(({ type }) => type === "compaction").map((one) => of(one)),
    // A request that was declined before any output is not billed; its one token is none of a text.
    ...all.filter((one) => isDeclined(one) && one.usage.output > 1).map(elsewhere),
    first,
    ...later,
    ...advice(call, all.filter(({ type }) => type === "advisor_message").map(elsewhere)),
  ];
}

/** Events of a block that the provider put beside the words of its model: the summary of a compaction, what an advisor said. */
type SampledEvent = { readonly body: EventBody; readonly callKey: string | null; readonly lane: string };

/** None for any other block. A compaction stands between its own call and that of the answer, which was not sent what came before. */
export function sampledEvents(block: Json, lane: string, callKey: string | null, usage: unknown): SampledEvent[] {
  const keys = (of: string): string[] =>
    asArray(asObject(usage)["iterations"]).flatMap((one, at) =>
      asObject(one)["type"] === of && callKey !== null ? [`${callKey}/${at}`] : [],
    );
  if (block["type"] === "compaction") {
    const text = asText(block["content"]) ?? "";
    const sizes = { tokensBefore: null, tokensAfter: null };
    const [key] = keys("compaction");
    const note = { lane, body: { type: "meta", subtype: "compaction call", text: "" }, callKey: key ?? null } as const;
    const body = { type: "compaction", kind: "full", trigger: "auto", ...sizes, text } as const;
    return [...(key === undefined ? [] : [note]), { lane, body, callKey: null }];
  }
  if (block["type"] !== "advisor_tool_result") return [];
  const body = advisorResult(block);
  const [key, another] = keys("advisor_message");
  const said = { type: "assistant", text: body.text } as const;
  return [
    { lane, body, callKey: null },
    ...(body.isError || key === undefined
      ? []
      : [{ lane: adviceLane(lane), body: said, callKey: another === undefined ? key : null }]),
  ];
}

/** What the model is told by its advisor. */
export function advisorResult(block: Json) {
  const content = asObject(block["content"]);
  const failed = asText(content["error_code"]);
  const text = asText(content["text"]) ?? failed ?? "";
  const toolCallId = asText(block["tool_use_id"]);
  return { type: "tool_result", toolCallId, text, isError: failed !== null, saw: "full" } as const;
}

const adviceLane = (lane: string): string => (lane === "" ? ADVISOR : `${lane}/${ADVISOR}`);

const iteration = (one: Json, key: string): Iteration => ({
  ...{ type: asText(one["type"]) ?? "", model: asText(one["model"]) },
  ...{ usage: readUsage(one), key },
});

const TOKENS = USAGE_FIELDS.filter((field) => field !== "reasoning" && field !== "webSearches");

/** A prompt each. The first one has the whole output, whose events are its own; fewer tokens than the answer's are not all of them. */
function ownCalls(call: CallDraft, own: readonly Iteration[]): [CallDraft, ...CallDraft[]] {
  const [first, ...later] = own;
  const { usage } = call;
  if (first === undefined || later.length === 0 || usage === null) return [call];
  const sum = (field: keyof Usage): number => own.reduce((total, one) => total + one.usage[field], 0);
  if (TOKENS.some((field) => sum(field) < usage[field])) return [call];
  return [
    {
      ...call,
      usage: { ...first.usage, output: sum("output"), reasoning: usage.reasoning, webSearches: usage.webSearches },
    },
    ...later
      .filter((one) => promptTokens(one.usage) > 0)
      .map((one) => ({ ...call, key: one.key, usage: { ...one.usage, output: 0, reasoning: 0 } })),
  ];
}

function advice(call: CallDraft, calls: readonly CallDraft[]): Draft[] {
  if (calls.length === 0) return [];
  const lane = adviceLane(call.lane);
  const { model } = calls[0]!;
  const patch = { relation: "subagent", agentName: "Advisor", title: "Advisor", titleRank: 0 } as const;
  return [
    { kind: "session", lane, patch: { ...patch, ...(model !== null && { model }) } },
    ...calls.map((one) => ({ ...one, lane })),
  ];
}
