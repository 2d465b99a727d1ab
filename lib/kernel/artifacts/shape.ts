// What a stored output is made of, for models and for people, in the grammar of shape-counter.ts.
import { ContentScan } from "./scan.ts";
import { ARRAY, BOOLEAN, NULL, NUMBER, OBJECT, STRING, type Kind } from "../json-sink.ts";
import { MORE, ShapeCounter, shapeOfKeys, type Shape } from "./shape-counter.ts";

export type { Shape } from "./shape-counter.ts";

/** The shape of a value: for an object its keys, for anything else one string. */
export function shapeOfValue(value: unknown): Shape {
  if (kindOf(value) !== OBJECT) return describe(value);
  const entries = Object.entries(value as object);
  return shapeOfKeys(
    entries.map(([key, item]): [string, string] => [key, describe(item)]),
    entries.length,
  );
}

function describe(value: unknown): string {
  const counter = new ShapeCounter();
  add(counter, value, []);
  return counter.describe();
}

/** `open`: the arrays around a value. One that holds itself is an array, and is not entered again. */
function add(counter: ShapeCounter, value: unknown, open: readonly unknown[]): void {
  const kind = kindOf(value);
  counter.note(kind);
  if (kind === OBJECT) counter.endObject(Object.keys(value as object).length);
  if (kind !== ARRAY) return;
  const items = value as readonly unknown[];
  counter.endArray(items.length);
  const elements = counter.elements();
  if (elements === null) return;
  if (open.includes(items)) elements.note(NULL);
  else for (const item of items) add(elements, item, [...open, items]);
}

function kindOf(value: unknown): Kind {
  if (Array.isArray(value)) return ARRAY;
  if (typeof value === "string") return STRING;
  if (typeof value === "number" || typeof value === "bigint") return NUMBER;
  if (typeof value === "boolean") return BOOLEAN;
  return typeof value === "object" && value !== null ? OBJECT : NULL;
}

/** A shape as one line for people. */
export function shapeText(shape: Shape): string {
  if (typeof shape === "string") return shape;
  const parts = Object.entries(shape).map(([key, result]) => (key === MORE ? `… ${result}` : `${key}: ${result}`));
  return `{${parts.join(", ")}}`;
}

/** The shape of a text output as one line, or null for bytes. `text` may be the beginning of it (`isWhole` false). */
export function shapeOf(text: string, contentType: string, lineCount: number | null, isWhole: boolean): string | null {
  const isText = contentType.startsWith("text/") || contentType.startsWith("application/") || lineCount !== null;
  if (!isText) return null;
  const scan = new ContentScan();
  scan.add(new TextEncoder().encode(isWhole ? text : text.slice(0, text.lastIndexOf("\n") + 1)));
  const facts = scan.end();
  if (isWhole) return shapeText(facts.shape);
  // The beginning of a JSON document says nothing of its shape; whole lines and rows do.
  const result = typeof facts.shape === "string" && contentType !== "application/json" ? facts.shape : "text()";
  const lines = lineCount ?? facts.lineCount;
  return result
    .replace(/^jsonl\(\d+\)/, `jsonl(${lines})`)
    .replace(/^csv\(\d+ rows/, `csv(${Math.max(0, lines - 1)} rows`)
    .replace(/^text\(.*\)/, `text(${lines} lines)`);
}
