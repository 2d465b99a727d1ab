// The log of a chat: its first line is the whole object, each further one sets, adds to, or takes out what a path of keys leads to. All of
// them together make up the chat as it is now, and say which requests were taken back on the way.
import type { Draft, SourceRecord } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, clip, isObject, type Json } from "../json.ts";
import { readValues } from "../json-lines.ts";
import { elementsAt, memberAt, spanOf, type Bytes, type ChatBytes } from "./chat-ranges.ts";
import { isEntry } from "./chat-state.ts";

/** A request, and where it was written: all of it, and what was written later of its answer and of how that ended. */
export type LoggedRequest = { value: unknown; at: Bytes; answeredAt: Bytes | null; resultAt: Bytes | null };

export type ChatStep =
  | { readonly kind: "request"; readonly request: LoggedRequest }
  /** What came after this request was taken back. */
  | { readonly kind: "rewind"; readonly after: LoggedRequest | null; readonly at: Bytes }
  | { readonly kind: "unknown"; readonly reason: string; readonly text: string; readonly at: Bytes };

export type ReplayedLog = {
  readonly header: Json;
  readonly steps: readonly ChatStep[];
  readonly problems: readonly Draft[];
  /** The requests that the chat has now. */
  readonly live: readonly LoggedRequest[];
};

const [START, SET, PUSH, DELETE] = [0, 1, 2, 3];

export function replayLog({ bytes, byteStart, line: firstLine }: SourceRecord): ReplayedLog {
  const replay = new Replay({ bytes, byteStart });
  const problems: Draft[] = [];
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let [from, line] = [0, firstLine]; from < all.length; line++) {
    const newline = all.indexOf(10, from);
    const end = newline < 0 ? all.length : newline;
    const own = all.subarray(from, end);
    if (own.some((byte) => byte > 0x20) && !isDraftOfInput(own)) {
      const record = { bytes: own, byteStart: byteStart + from, byteEnd: byteStart + end, line };
      const { values, problems: found } = readValues(record, isEntry);
      for (const { value, ...at } of values) replay.add(value, at);
      for (const problem of found) problems.push({ kind: "problem", line, ...problem });
    }
    from = end + 1;
  }
  return { header: replay.header, steps: replay.steps, live: replay.live, problems };
}

/** What stands in the field for the next prompt is written down as it is typed, with the bytes of images. It is no part of the chat. */
const INPUT = Buffer.from('{"kind":1,"k":["inputState"');
const isDraftOfInput = (line: Buffer): boolean =>
  line.subarray(0, INPUT.length).equals(INPUT) && line.at(-1) === 0x7d && line.indexOf('{"kind":', 1) < 0;

class Replay {
  header: Json = {};
  readonly steps: ChatStep[] = [];
  readonly live: LoggedRequest[] = [];
  readonly #file: ChatBytes;

  constructor(file: ChatBytes) {
    this.#file = file;
  }

  add(entry: unknown, at: Bytes): void {
    if (!isEntry(entry)) return this.#unknown("The line is JSON, but no change of a chat.", entry, at);
    const { kind, k: path, v: value, i: from } = entry;
    if (kind === START && isObject(value)) {
      const { requests, ...header } = value;
      this.header = header;
      const whole = memberAt(this.#file, at, "v");
      this.#setRequests(asArray(requests), whole === null ? [] : elementsAt(this.#file, whole, "requests"), at);
    } else if (!Array.isArray(path) || path.length === 0 || ![SET, PUSH, DELETE].includes(kind as number))
      this.#unknown("A change of a kind that is not known.", entry, at);
    else if (!this.#change(path, entry, { value, from: positionOf(from) }, at))
      this.#unknown("A change of something that the file does not have.", entry, at);
  }

  #change(path: readonly unknown[], { kind }: Json, { value, from }: Change, at: Bytes): boolean {
    if (path[0] !== "requests") return applyChange(this.header, path, kind, { value, from });
    if (path.length === 1) {
      const ranges = elementsAt(this.#file, at, "v");
      if (kind === PUSH) this.#push(asArray(value), ranges, from, at);
      else this.#setRequests(kind === SET ? asArray(value) : [], ranges, at);
      return true;
    }
    const request = typeof path[1] === "number" ? this.live[path[1]] : undefined;
    if (request === undefined) return false;
    if (path.length === 2) {
      Object.assign(request, { value: kind === SET ? value : null, at, answeredAt: null, resultAt: null });
      return true;
    }
    if (path[2] === "response") request.answeredAt = spanOf(elementsAt(this.#file, at, "v")) ?? at;
    if (path[2] === "result") request.resultAt = path.length === 3 ? memberAt(this.#file, at, "v") : at;
    return isObject(request.value) && applyChange(request.value, path.slice(2), kind, { value, from });
  }

  #push(values: readonly unknown[], ranges: readonly Bytes[], from: number | null, at: Bytes): void {
    const kept = Math.min(from ?? this.live.length, this.live.length);
    if (kept < this.live.length) {
      this.live.length = kept;
      this.steps.push({ kind: "rewind", after: this.live.at(-1) ?? null, at });
    }
    for (const [i, value] of values.entries()) {
      const request: LoggedRequest = { value, at: ranges[i] ?? at, answeredAt: null, resultAt: null };
      this.live.push(request);
      this.steps.push({ kind: "request", request });
    }
  }

  /** All requests are written again: those of before are the same as far as their names are. */
  #setRequests(values: readonly unknown[], ranges: readonly Bytes[], at: Bytes): void {
    let same = 0;
    while (same < values.length && same < this.live.length && isSame(values[same], this.live[same]!.value)) {
      const own = { value: values[same], at: ranges[same] ?? at, answeredAt: null, resultAt: null };
      Object.assign(this.live[same]!, own);
      same++;
    }
    this.#push(values.slice(same), ranges.slice(same), same, at);
  }

  #unknown(reason: string, value: unknown, at: Bytes): void {
    this.steps.push({ kind: "unknown", reason, text: clip(jsonText(value ?? null), 1000), at });
  }
}

type Change = { readonly value: unknown; readonly from: number | null };

const isSame = (one: unknown, other: unknown): boolean => {
  const id = asText(asObject(one)["requestId"]);
  return id !== null && id === asText(asObject(other)["requestId"]);
};

const positionOf = (from: unknown): number | null =>
  typeof from === "number" && Number.isInteger(from) && from >= 0 ? from : null;

/** False where the path leads to nothing that is there. */
function applyChange(root: Json, path: readonly unknown[], kind: unknown, { value, from }: Change): boolean {
  let holder: Json | unknown[] = root;
  for (const key of path.slice(0, -1)) {
    const next: unknown = ownValue(holder, key);
    if (!isObject(next) && !Array.isArray(next)) return false;
    holder = next;
  }
  const key = path.at(-1);
  if (kind === PUSH) {
    const known = ownValue(holder, key);
    const list: unknown[] = Array.isArray(known) ? known : [];
    if (from !== null && from < list.length) list.length = from;
    for (const one of asArray(value)) list.push(one);
    return put(holder, key, list);
  }
  return put(holder, key, kind === SET ? value : undefined);
}

function ownValue(holder: Json | readonly unknown[], key: unknown): unknown {
  if (Array.isArray(holder)) return typeof key === "number" ? holder[key] : undefined;
  return typeof key === "string" && Object.hasOwn(holder, key) ? (holder as Json)[key] : undefined;
}

/** Into a list only where it has an element, or behind its last one. */
function put(holder: Json | unknown[], key: unknown, value: unknown): boolean {
  if (Array.isArray(holder)) {
    if (typeof key !== "number" || !Number.isInteger(key) || key < 0 || key > holder.length) return false;
    holder[key] = value;
    return true;
  }
  if (typeof key !== "string" || key === "__proto__") return false;
  if (value === undefined) Reflect.deleteProperty(holder, key);
  else holder[key] = value;
  return true;
}
