// The messages of a request, found by their digests: in blobs, or made of the records that stand in a row.
import type { RequestRecords } from "#lib/kernel/request-records.ts";
import { asArray, asObject, isObject, type Json } from "../json.ts";
import { MESSAGE } from "./request-subtypes.ts";

type Message = Readonly<Json>;
type Found = { readonly messages: readonly Message[]; readonly proven: number; readonly why: string | null };

export function findMessages(
  digests: readonly string[],
  range: { readonly from: number; readonly to: number },
  { parts, messages, sha256 }: RequestRecords,
): Found {
  const known = new Map<string, Message>();
  let wrong = 0;
  const wanted = new Set(digests);
  for (const { subtype, text, value } of parts) {
    if (subtype !== MESSAGE || !wanted.has(text) || known.has(text)) continue;
    const message = asObject(asObject(value())["message"]);
    if (digestOf(message, sha256) === text) known.set(text, asWritten(message));
    else wrong++;
  }
  const earlier = messages.filter(({ seq }) => seq < range.to);
  // What is new since the base stands behind it; what is not found there may stand anywhere before.
  for (const from of [range.from, 0]) {
    if (digests.every((digest) => known.has(digest))) break;
    const stretch = earlier.filter(({ seq }) => seq > from).map(({ value }) => value());
    for (const { message, isList } of runsOf(stretch)) {
      const digest = digestOf(message, sha256);
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

/** Of the wanted digests those whose message is in the file: one pass over its records, whoever names them. */
export function digestsInFile(
  wanted: ReadonlySet<string>,
  { parts, messages, sha256 }: RequestRecords,
): ReadonlySet<string> {
  const found = new Set<string>();
  const note = (digest: string): void => void (wanted.has(digest) && found.add(digest));
  for (const { subtype, text, value } of parts)
    if (subtype === MESSAGE && wanted.has(text) && !found.has(text))
      note(digestOf(asObject(asObject(value())["message"]), sha256));
  if (found.size === wanted.size) return found;
  for (const { message } of runsOf(messages.map(({ value }) => value()))) {
    note(digestOf(message, sha256));
    if (found.size === wanted.size) break;
  }
  return found;
}

/** A text counts as one block. */
const digestOf = (message: Message, sha256: RequestRecords["sha256"]): string =>
  sha256(canonical({ ...message, content: blocksOf(message["content"]) }, { marks: false }));

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

export const blocksOf = (content: unknown): readonly unknown[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : asArray(content);

/** JSON with sorted keys: what a digest is of. That of a message leaves cache marks out. */
export function canonical(value: unknown, options: { readonly marks: boolean }): string {
  if (Array.isArray(value)) return `[${value.map((one) => canonical(one, options)).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  const keys = Object.keys(value).filter(
    (key) => value[key] !== undefined && (options.marks || key !== "cache_control"),
  );
  return `{${keys
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key], options)}`)
    .join(",")}}`;
}
