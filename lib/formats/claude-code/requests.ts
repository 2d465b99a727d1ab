// The requests that Claude Code writes to its session file from 2.1.330 on. `api-request` lists its messages by digest: the
// first `keep` of the request `base`, then `tail`. A digest is the SHA-256 of the message's JSON with sorted keys, without
// cache marks. Its text is in an `api-request-blob`, or else it is made of the user or assistant records that stand in a row.
// `api-request-shape` holds system prompt and tools.
import type { RequestReader, RequestRecord, RequestRecords, SentRequest } from "#lib/kernel/request-records.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, asWhole, isObject, type Json } from "../json.ts";

export const REQUEST = "api-request";
export const SHAPE = "api-request-shape";
export const MESSAGE = "api-request-blob";

/** What an event of such a record says: enough to find the record, and to follow the chain of requests without reading it. */
export function requestText(type: string, value: Json): string {
  if (type === SHAPE) return asText(value["shapeHash"]) ?? "";
  if (type === MESSAGE) return asText(value["hash"]) ?? "";
  const { base, keep, tail } = value;
  return `${asText(value["id"]) ?? ""} ${jsonText({ base, keep, tail })}`;
}

export const claudeRequests: RequestReader = {
  subtypes: [REQUEST, SHAPE, MESSAGE],
  requestOf: (answer) => asText(asObject(answer)["requestRef"]),
  read: readRequest,
};

const NOT_IN_FILE = "The client's billing line (the first system block), metadata and stream are not in the file.";

type Message = Readonly<Json>;

function readRequest(id: string, records: RequestRecords): SentRequest {
  const chain = new Map(
    records.parts.filter(({ subtype }) => subtype === REQUEST).map((part) => [part.text.split(" ", 1)[0]!, part]),
  );
  const part = chain.get(id);
  const nothing = { id, source: null, body: null, betas: [], messages: { count: 0, proven: 0 }, notInFile: null };
  if (part === undefined) return { ...nothing, why: `The request ${id} is not in the file.` };
  const record = asObject(part.value());
  const source = asText(record["querySource"]);
  const list = digestsOf(part, chain);
  if ("why" in list) return { ...nothing, source, why: list.why };
  const found = findMessages(list.digests, { from: list.from, to: part.seq }, records);
  const messages = { count: list.digests.length, proven: found.proven };
  const shape = shapeOf(asText(record["shapeHash"]), part.seq, records);
  const why = found.why ?? (shape === null ? "Its system prompt and tools are not in the file." : null);
  if (why !== null || shape === null) return { ...nothing, source, messages, why };
  const { betas, model, ...params } = asObject(record["params"]);
  const body: Json = { model, messages: found.messages, ...shape, ...params };
  for (const mark of asArray(record["cacheControl"]).map(asObject)) setMark(body, asArray(mark["path"]), mark["value"]);
  return {
    id,
    source,
    body,
    betas: asArray(betas).filter((beta) => typeof beta === "string"),
    messages,
    why: null,
    notInFile: NOT_IN_FILE,
  };
}

type Digests = { readonly digests: readonly string[]; readonly from: number };

/** The digests of a request's messages, by its base's and that one's base's, back to the first. `from`: the base's place. */
function digestsOf(part: RequestRecord, chain: ReadonlyMap<string, RequestRecord>): Digests | { readonly why: string } {
  const links: { readonly keep: number; readonly tail: readonly string[] }[] = [];
  let from = 0;
  let at: RequestRecord | undefined = part;
  const seen = new Set<RequestRecord>();
  while (at !== undefined) {
    if (seen.has(at)) return { why: "Its requests name each other in a circle." };
    seen.add(at);
    let link: Json;
    try {
      link = asObject(JSON.parse(at.text.slice(at.text.indexOf(" ") + 1)));
    } catch {
      return { why: "Its list of messages cannot be read." };
    }
    const tail = asArray(link["tail"]).filter((digest) => typeof digest === "string");
    links.push({ keep: asWhole(link["keep"]) ?? 0, tail });
    const base = asText(link["base"]);
    if (base === null) break;
    at = chain.get(base);
    if (at === undefined) return { why: "The request that it goes on from is not in the file." };
    if (links.length === 1) from = at.seq;
  }
  let digests: readonly string[] = [];
  for (const { keep, tail } of links.toReversed()) {
    if (keep > digests.length) return { why: `It keeps ${keep} messages of a request that had ${digests.length}.` };
    digests = [...digests.slice(0, keep), ...tail];
  }
  return { digests, from };
}

type Found = { readonly messages: readonly Message[]; readonly proven: number; readonly why: string | null };

function findMessages(
  digests: readonly string[],
  place: { readonly from: number; readonly to: number },
  { parts, messages, sha256 }: RequestRecords,
): Found {
  // A text counts as one block.
  const digestOf = (message: Message): string =>
    sha256(canonical({ ...message, content: blocksOf(message["content"]) }));
  const known = new Map<string, Message>();
  let wrong = 0;
  const wanted = new Set(digests);
  for (const { subtype, text, value } of parts) {
    if (subtype !== MESSAGE || !wanted.has(text) || known.has(text)) continue;
    const message = asObject(asObject(value())["message"]);
    if (digestOf(message) === text) known.set(text, asWritten(message));
    else wrong++;
  }
  const earlier = messages.filter(({ seq }) => seq < place.to);
  // What is new since the base stands behind it; what is not found there may stand anywhere before.
  for (const from of [place.from, 0]) {
    if (digests.every((digest) => known.has(digest))) break;
    const stretch = earlier.filter(({ seq }) => seq > from).map(({ value }) => value());
    for (const { message, isList } of runsOf(stretch)) {
      const digest = digestOf(message);
      if (wanted.has(digest)) known.set(digest, isList ? message : asWritten(message));
    }
  }
  const missing = digests.filter((digest) => !known.has(digest)).length;
  const why =
    missing === 0
      ? null
      : `${missing} of its ${digests.length} messages ${missing === 1 ? "is" : "are"} not in the file${wrong === 0 ? "" : ` (${wrong} ${wrong === 1 ? "does" : "do"} not match ${wrong === 1 ? "its digest" : "their digests"})`}.`;
  return { messages: digests.map((digest) => known.get(digest) ?? {}), proven: digests.length - missing, why };
}

/** Records of one message, at most: an answer with 60 tool calls has so many lines. */
const LONGEST_RUN = 200;

/** What records in a row may have been sent as: each run of one role, as the blocks of one message. */
function* runsOf(
  records: readonly unknown[],
): Generator<{ readonly message: Message; /** The agent had blocks, not a text. */ readonly isList: boolean }> {
  const list = records.map((record) => asObject(asObject(record)["message"])).filter(({ role }) => role !== undefined);
  for (let i = 0; i < list.length; i++) {
    const role = list[i]!["role"];
    // A longer run than the one before it would be a part of that one's.
    const isInside =
      i > 0 && list[i - 1]!["role"] === role && role === "assistant" && sameAnswer(list[i - 1]!, list[i]!);
    if (isInside) continue;
    const blocks: unknown[] = [];
    const isList = Array.isArray(list[i]!["content"]);
    for (let j = i; j < Math.min(list.length, i + LONGEST_RUN) && list[j]!["role"] === role; j++) {
      blocks.push(...blocksOf(list[j]!["content"]));
      yield { message: { role, content: [...blocks] }, isList };
    }
  }
}

/** One text is sent as a string, and as a block only where it carries a cache mark: so the blob has it that was marked at first. */
function asWritten(message: Message): Message {
  const [only, ...others] = asArray(message["content"]).map(asObject);
  const isText = only !== undefined && others.length === 0 && Object.keys(only).length === 2 && only["type"] === "text";
  return isText && message["role"] !== "assistant" ? { ...message, content: only["text"] } : message;
}

const sameAnswer = (a: Message, b: Message): boolean => a["id"] !== undefined && a["id"] === b["id"];

const blocksOf = (content: unknown): readonly unknown[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : asArray(content);

/** System prompt and tools: the record stands before its request, once for all that share it. */
function shapeOf(hash: string | null, before: number, { parts }: RequestRecords): Json | null {
  const part = parts.findLast(({ subtype, text, seq }) => subtype === SHAPE && text === hash && seq < before);
  const shape = part === undefined ? undefined : asObject(part.value())["shape"];
  return isObject(shape) ? shape : null;
}

/** JSON with sorted keys, without cache marks: what a digest is of. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  const keys = Object.keys(value).filter((key) => value[key] !== undefined && key !== "cache_control");
  return `{${keys
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
    .join(",")}}`;
}

/** Puts a cache mark at its place; a text that carries one is a block. */
function setMark(body: Json, path: readonly unknown[], value: unknown): void {
  let at: unknown = body;
  for (const [i, step] of path.entries()) {
    if (!isObject(at) && !Array.isArray(at)) return;
    const holder = at as Record<string | number, unknown>;
    let next = Array.isArray(at) ? at[Number(step)] : Object.hasOwn(holder, String(step)) ? holder[String(step)] : null;
    if (typeof next === "string" && i < path.length - 1) next = blocksOf(next);
    if (!isObject(next) && !Array.isArray(next)) return;
    // A message may stand in several requests: each has marks of its own.
    const own = Array.isArray(next) ? [...next] : { ...next };
    if (i === path.length - 1 && isObject(own)) own["cache_control"] = value;
    holder[Array.isArray(at) ? Number(step) : String(step)] = own;
    at = own;
  }
}
