// The requests that Claude Code writes to its session file from 2.1.330 on: those of its conversation and of its sub-agents, not
// those of a compaction. `api-request` lists its messages by digest (request-chain.ts), `api-request-shape` holds system
// prompt and tools. A digest is the SHA-256 of JSON with sorted keys: of a message without cache marks, of a whole request
// (`requestDigest`) with them and with the features of its header (`betas`).
import type {
  ListedRequest,
  RequestPurpose,
  RequestReader,
  RequestRecord,
  RequestRecords,
  RequestSummary,
  SentRequest,
} from "#lib/kernel/request-records.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, isObject, type Json } from "../json.ts";
import { digestsOf } from "./request-chain.ts";
import { blocksOf, canonical, digestsInFile, findMessages } from "./request-messages.ts";
import { MESSAGE, REQUEST, SHAPE } from "./request-subtypes.ts";

/** What an event of such a record says: enough to find the record, and to follow the chain of requests without reading it. */
export function requestText(type: string, value: Json): string {
  if (type === SHAPE) return asText(value["shapeHash"]) ?? "";
  if (type === MESSAGE) return asText(value["hash"]) ?? "";
  const { base, keep, tail } = value;
  return `${asText(value["id"]) ?? ""} ${jsonText({ base, keep, tail })}`;
}

export const claudeRequests: RequestReader = {
  since: "2.1.330",
  subtypes: [REQUEST, SHAPE, MESSAGE],
  requestOf: (answer) => asText(asObject(answer)["requestRef"]),
  list: (records) => [...chainOf(records)].map(([id, { seq }]): ListedRequest => ({ id, seq })),
  describe: describeRequests,
  read: readRequest,
};

const NOT_IN_FILE = "The client's billing line (the first system block), metadata and stream are not in the file.";

/** The request's parts, except its messages; or why there is no body. */
type Frame = {
  readonly seq: number;
  readonly source: string | null;
  readonly record: Json;
  readonly digests: readonly string[];
  /** Where its base stands. */
  readonly from: number;
  readonly shape: Json | null;
  readonly why: string | null;
};

type Chain = ReadonlyMap<string, RequestRecord>;

const chainOf = ({ parts }: RequestRecords): Chain =>
  new Map(parts.filter(({ subtype }) => subtype === REQUEST).map((part) => [part.text.split(" ", 1)[0]!, part]));

/** What was read for other requests: many share a shape, which lies far from most of them, and each goes on from another. */
type Known = {
  readonly shapes: Map<RequestRecord, Json | null>;
  readonly digests: Map<RequestRecord, readonly string[]>;
};

const nothingKnown = (): Known => ({ shapes: new Map(), digests: new Map() });

function frameOf(part: RequestRecord, chain: Chain, records: RequestRecords, known: Known): Frame {
  const record = asObject(part.value());
  const list = digestsOf(part, chain, known.digests);
  const { digests, from } = "why" in list ? { digests: [], from: 0 } : list;
  const shape = shapeOf(asText(record["shapeHash"]), part.seq, records, known.shapes);
  const isCut = record["cut"] !== undefined;
  const why =
    "why" in list
      ? list.why
      : isCut
        ? "The agent cut parts of it before it wrote the file."
        : shape === null
          ? "Its system prompt and tools are not in the file."
          : null;
  return { seq: part.seq, source: asText(record["querySource"]), record, digests, from, shape, why };
}

/** The words of the client for whom a request was made. */
function purposeOf(source: string | null): RequestPurpose | null {
  if (source === null) return null;
  if (source === "sdk" || source.startsWith("repl_main_thread")) return "conversation";
  if (source === "compact") return "compaction";
  return source.startsWith("agent:") || source === "hook_agent" ? "sub-agent" : "other";
}

function describeRequests(ids: readonly string[], records: RequestRecords): RequestSummary[] {
  const chain = chainOf(records);
  const known = nothingKnown();
  const frames = ids.flatMap((id) => {
    const part = chain.get(id);
    return part === undefined ? [] : [{ id, ...frameOf(part, chain, records, known) }];
  });
  const found = digestsInFile(new Set(frames.flatMap(({ digests }) => digests)), records);
  return frames.map(({ id, seq, source, record, digests, why }) => {
    const proven = digests.filter((digest) => found.has(digest)).length;
    const model = asText(asObject(record["params"])["model"]);
    const messages = { count: digests.length, proven };
    return { id, seq, model, source, purpose: purposeOf(source), messages, why: why ?? missingWords(messages) };
  });
}

const missingWords = ({ count, proven }: { readonly count: number; readonly proven: number }): string | null =>
  proven === count
    ? null
    : `${count - proven} of its ${count} messages ${count - proven === 1 ? "is" : "are"} not in the file.`;

function readRequest(id: string, records: RequestRecords): SentRequest {
  const chain = chainOf(records);
  const part = chain.get(id);
  const nothing = {
    id,
    seq: null,
    source: null,
    purpose: null,
    body: null,
    betas: [],
    isProven: null,
    notInFile: null,
  };
  const none = { count: 0, proven: 0 };
  if (part === undefined) return { ...nothing, messages: none, why: `The request ${id} is not in the file.` };
  const { seq, source, record, digests, from, shape, why } = frameOf(part, chain, records, nothingKnown());
  const said = { ...nothing, seq, source, purpose: purposeOf(source) };
  if (why !== null && digests.length === 0) return { ...said, messages: none, why };
  const found = findMessages(digests, { from, to: part.seq }, records);
  const messages = { count: digests.length, proven: found.proven };
  if (found.why !== null || why !== null || shape === null) return { ...said, messages, why: found.why ?? why };
  const { betas, model, ...params } = asObject(record["params"]);
  const body: Json = { model, messages: found.messages, ...shape, ...params };
  for (const mark of asArray(record["cacheControl"]).map(asObject)) setMark(body, asArray(mark["path"]), mark["value"]);
  const digest = asText(record["requestDigest"]);
  const isProven = digest === null ? null : digest === wholeDigest(body, betas, records);
  if (isProven === false)
    return { ...said, messages, isProven, why: "Its parts do not match the file's digest of the request." };
  return {
    ...said,
    body,
    betas: asArray(betas).filter((beta) => typeof beta === "string"),
    messages,
    isProven,
    why: null,
    notInFile: notInFileOf(record),
  };
}

/** Of the body with its header's features, each text of a message as a block: no matter how it was sent. */
function wholeDigest(body: Json, betas: unknown, { sha256 }: RequestRecords): string {
  const messages = asArray(body["messages"])
    .map(asObject)
    .map((message) => ({ ...message, content: blocksOf(message["content"]) }));
  return sha256(canonical({ ...body, betas, messages }, { marks: true }));
}

function notInFileOf(record: Json): string {
  const withheld = asArray(record["withheld"]).filter((name) => typeof name === "string");
  return withheld.length === 0 ? NOT_IN_FILE : `${NOT_IN_FILE} The agent withheld: ${withheld.join(", ")}.`;
}

/** System prompt and tools: the record stands before its request, once for all that share it. */
function shapeOf(
  hash: string | null,
  before: number,
  { parts }: RequestRecords,
  read: Map<RequestRecord, Json | null>,
): Json | null {
  const part = parts.findLast(({ subtype, text, seq }) => subtype === SHAPE && text === hash && seq < before);
  if (part === undefined) return null;
  const known = read.get(part);
  if (known !== undefined) return known;
  const { shape } = asObject(part.value());
  const found = isObject(shape) ? shape : null;
  read.set(part, found);
  return found;
}

/** Puts a cache mark at its position; a text that carries one is a block. */
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
