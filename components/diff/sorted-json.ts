// JSON for comparing: laid out, one member a line, keys in one order when that is asked. Values are as they are written.
// Pure; it lives in the worker.
import { layOutJson, layOutJsonLines, type Layout } from "../shared/json-source.ts";
import { eachItem, eachMember, stringOf } from "../table/json-values.ts";

/** Deeper values keep the order of their keys. */
const MOST_LEVELS = 200;

/** Null when it is no JSON, or too long when laid out. */
export function comparableJson(text: string, areLines: boolean, isSorted: boolean): string | null {
  const source = !isSorted
    ? text
    : areLines
      ? text
          .split("\n")
          .map((line) => sortKeys(line))
          .join("\n")
      : sortKeys(text);
  const layout: Layout = areLines ? layOutJsonLines(source) : layOutJson(source);
  return layout.kind === "laid out" ? layout.text : null;
}

/** The same value with the keys of its objects in the order of their characters; what is no JSON as it is. */
export function sortKeys(text: string): string {
  const at = /\S/u.exec(text)?.index;
  return at === undefined ? text : sortedAt(text, at, text.length, 0);
}

function sortedAt(text: string, at: number, end: number, level: number): string {
  const raw = text.slice(at, end).trimEnd();
  const code = raw.charCodeAt(0);
  if (level > MOST_LEVELS || (code !== 123 && code !== 91)) return raw;
  if (code === 91) {
    const items: string[] = [];
    const isList = eachItem(raw, 0, (from, to) => items.push(sortedAt(raw, from, to, level + 1))) === raw.length;
    return isList ? `[${items.join(",")}]` : raw;
  }
  const members: { key: string; written: string }[] = [];
  const stop = eachMember(raw, 0, (keyFrom, keyTo, from, to) =>
    members.push({
      key: stringOf(raw, keyFrom, keyTo),
      written: `"${raw.slice(keyFrom, keyTo)}":${sortedAt(raw, from, to, level + 1)}`,
    }),
  );
  if (stop !== raw.length) return raw;
  // A key that stands twice keeps the order of its values: the last one counts.
  members.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return `{${members.map(({ written }) => written).join(",")}}`;
}
