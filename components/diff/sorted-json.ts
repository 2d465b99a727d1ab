// JSON for comparing: laid out, one member a line, keys in one order when that is asked. Values are as they are written:
// JSON.parse and stringify would round 2^53+1, turn 1e400 into null, -0 into 0 and keep one of two equal keys. Pure; it
// lives in the worker.
import { JsonReader } from "#lib/kernel/json-reader.ts";
import type { JsonSink } from "#lib/kernel/json-sink.ts";

/** Longer layouts are given up: every level indents, so 5 MB of brackets would take gigabytes (characters). */
const MOST_CHARS = 32 * 1024 * 1024;

/** Null when it is no JSON, or too long when laid out. Lines are shown as one list; those that are no JSON as they are. */
export function comparableJson(text: string, areLines: boolean, isSorted: boolean): string | null {
  const layOut = layouts(areLines ? 1 : 0, isSorted);
  if (!areLines) return layOut(text).text;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  let list = "[";
  for (const [i, line] of lines.entries()) {
    const { text: value, isTooLong } = layOut(line);
    list += `\n  ${value ?? line.trim()}${i < lines.length - 1 && value !== null ? "," : ""}`;
    if (isTooLong || list.length > MOST_CHARS) return null;
  }
  return `${list}\n]`;
}

type Member = { readonly name: string; readonly text: string };
type Container = { readonly isArray: boolean; readonly members: Member[]; key: string };

type Layout = { readonly text: string | null; readonly isTooLong: boolean };

/** Lays out one value over as many lines as it has parts; no text where it is none, or too long. */
function layouts(indent: number, isSorted: boolean): (source: string) => Layout {
  let source = "";
  let open: Container[] = [];
  let text: string | null = null;
  let chars = 0;
  const add = (value: string): void => {
    const around = open.at(-1);
    if (around === undefined) text = value;
    else if (around.isArray) around.members.push({ name: "", text: value });
    else {
      const name = isSorted ? (JSON.parse(around.key) as string) : "";
      around.members.push({ name, text: `${around.key}: ${value}` });
    }
  };
  const token = (from: number, to: number): string => {
    chars += to - from + 2 * open.length;
    return source.slice(from, to);
  };
  const sink: JsonSink = {
    begin(isArray) {
      chars += 4 * open.length;
      if (chars <= MOST_CHARS) open.push({ isArray, members: [], key: "" });
    },
    end() {
      if (chars > MOST_CHARS) return;
      const { isArray, members } = open.pop()!;
      // A key that stands twice keeps the order of its values: the last one counts.
      if (isSorted && !isArray) members.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
      const lineEnd = `\n${"  ".repeat(indent + open.length)}`;
      let value = isArray ? "[" : "{";
      // No join: it would copy what is nested at every level.
      for (const [i, member] of members.entries()) value += `${i > 0 ? "," : ""}${lineEnd}  ${member.text}`;
      add(`${value}${members.length > 0 ? lineEnd : ""}${isArray ? "]" : "}"}`);
    },
    key({ at, length }) {
      const around = open.at(-1);
      if (around !== undefined) around.key = token(at - 1, at + length + 1);
    },
    string: ({ at, length }) => add(token(at - 1, at + length + 1)),
    number: ({ at, length }) => add(token(at, at + length)),
    word: add,
  };
  const reader = new JsonReader(sink);
  return (value) => {
    [source, open, text, chars] = [value, [], null, 0];
    reader.reset();
    reader.add(bytesOf(value));
    const isTooLong = chars > MOST_CHARS;
    return { text: reader.end() && reader.roots === 1 && !isTooLong ? text : null, isTooLong };
  };
}

/** One byte a character, so that positions are those of the text: JSON's own marks are ASCII, and in strings any goes. */
function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = Math.min(text.charCodeAt(at), 0x80);
  return bytes;
}
