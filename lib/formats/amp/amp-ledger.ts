// What Amp's thread says of its requests beside the messages: the ledger of its usage, with requests that no message is about.
import type { Draft, Usage } from "#lib/kernel/draft.ts";
import { splitPrompt } from "../prompt-counts.ts";
import { asArray, asCost, asCount, asObject, asText, asTime, asWhole, isObject, type Json } from "../json.ts";
import { objectMembers, valueAt } from "../json-parts.ts";
import { addOfModel } from "../reported-sums.ts";

type Request = {
  readonly to: number | null;
  readonly ts: number | null;
  readonly model: string | null;
  readonly usage: Usage | null;
  readonly credits: number;
};

type CallDraft = Extract<Draft, { kind: "call" }>;

/** The ledger, each request taken by the answer that it ends with. */
export class AmpLedger {
  readonly #requests: readonly Request[];
  /** The first one that ends with each message. */
  readonly #byMessage = new Map<number, Request>();
  readonly #taken = new Set<Request>();
  /** Of each model: what the answers and the other requests used. */
  readonly #usage: Record<string, Usage> = {};

  constructor(bytes: Uint8Array) {
    const range = objectMembers(bytes).find(({ key }) => key === "usageLedger");
    const ledger = range === undefined ? {} : asObject(valueAt(bytes, range));
    this.#requests = asArray(ledger["events"]).filter(isObject).map(requestOf);
    for (const request of this.#requests)
      if (request.to !== null && !this.#byMessage.has(request.to)) this.#byMessage.set(request.to, request);
  }

  /** The drafts of an answer: where it says no usage or no time of its own, those of its request. */
  answer(drafts: readonly Draft[], message: Json): readonly Draft[] {
    const messageId = asWhole(message["messageId"]);
    const window = asWhole(asObject(message["usage"])["maxInputTokens"]);
    const call = drafts.find((draft): draft is CallDraft => draft.kind === "call");
    if (call === undefined) return drafts;
    const request = messageId === null ? undefined : this.#byMessage.get(messageId);
    if (request !== undefined) this.#taken.add(request);
    const model = (call.usage === null ? request?.model : null) ?? call.model;
    const usage = sentUsage(call.usage ?? request?.usage ?? null, model);
    if (usage !== null && model !== null) addOfModel(this.#usage, model, usage);
    const ts = call.ts ?? request?.ts ?? null;
    return drafts.map((draft) =>
      draft === call
        ? { ...call, usage, model, ts, ...(window !== null && { window }) }
        : draft.kind === "event" && draft.ts === null
          ? { ...draft, ts }
          : draft,
    );
  }

  /** Requests that no answer is about: a title's, a sub-agent's. Null where there is none. */
  rest(): Draft | null {
    const others = this.#requests.filter((request) => request.usage !== null && !this.#taken.has(request));
    if (others.length === 0) return null;
    for (const { model, usage } of others) addOfModel(this.#usage, model ?? "", sentUsage(usage, model)!);
    return { kind: "reported", lane: "", usd: null, usage: this.#usage };
  }

  /** Amp's own unit, which its files do not put in dollars. */
  get credits(): number {
    const sum = this.#requests.reduce((all, { credits }) => all + credits, 0);
    return Math.round(sum * 1e6) / 1e6;
  }

  get requests(): number {
    return this.#requests.length;
  }
}

/** Of OpenAI's models Amp counts all that was not cached as written to the cache, which they do not bill. */
function sentUsage(usage: Usage | null, model: string | null): Usage | null {
  if (usage === null || usage.inputUncached > 0 || model?.startsWith("gpt-") !== true) return usage;
  return { ...usage, inputUncached: usage.cacheWrite, cacheWrite: 0 };
}

function requestOf(event: Json): Request {
  const tokens = asObject(event["tokens"]);
  const [read, written] = [tokens["cacheReadInputTokens"], tokens["cacheCreationInputTokens"]];
  const prompt = asCount(tokens["input"]) + asCount(read) + asCount(written);
  const usage = splitPrompt({ prompt, output: tokens["output"], cached: read, written });
  return {
    to: asWhole(event["toMessageId"]),
    ts: asTime(event["timestamp"]),
    model: asText(event["model"]),
    usage: prompt + asCount(tokens["output"]) === 0 ? null : usage,
    credits: Math.max(0, asCost(event["credits"]) ?? 0),
  };
}
