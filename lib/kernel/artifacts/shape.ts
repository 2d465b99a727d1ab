// One line that says what a stored output is made of. JSON and JSON lines name their keys (a ? marks a key that some
// items lack); text says how many lines it has. Nothing in it comes from values, so it is safe to show anywhere.

/** Items of an array, and keys of an object, that are looked at. */
const ITEMS = 100;
const KEYS = 12;
/** Characters of a key: some files have their data in keys. */
const KEY_CHARS = 60;

/** The shape of a text output, or null for bytes. `text` may be the beginning of it. */
export function shapeOf(text: string, contentType: string, lineCount: number | null, isWhole: boolean): string | null {
  if (contentType === "application/json" && isWhole) {
    try {
      return shapeOfValue(JSON.parse(text) as unknown, 0);
    } catch {
      return "text that is not JSON";
    }
  }
  if (contentType === "application/x-ndjson") {
    const items = text
      .split("\n")
      .slice(0, ITEMS)
      .flatMap((line) => parseLine(line));
    return `JSON lines of ${shapeOfItems(items, 0)}, ${(lineCount ?? items.length).toLocaleString("en")} lines`;
  }
  if (contentType === "text/csv")
    return `CSV with ${text.slice(0, text.indexOf("\n") + 1 || 400).split(",").length} columns, ${lineCount ?? 0} lines`;
  if (contentType.startsWith("text/") || contentType.startsWith("application/"))
    return `text, ${(lineCount ?? 0).toLocaleString("en")} lines`;
  return null;
}

function parseLine(line: string): unknown[] {
  try {
    return [JSON.parse(line) as unknown];
  } catch {
    return [];
  }
}

function shapeOfValue(value: unknown, depth: number): string {
  if (Array.isArray(value))
    return value.length === 0
      ? "empty array"
      : `array of ${value.length.toLocaleString("en")} × ${shapeOfItems(value.slice(0, ITEMS), depth + 1)}`;
  if (typeof value === "object" && value !== null) return shapeOfItems([value], depth);
  return value === null ? "null" : typeof value;
}

function shapeOfItems(items: readonly unknown[], depth: number): string {
  const objects = items.filter(
    (item): item is Record<string, unknown> => typeof item === "object" && item !== null && !Array.isArray(item),
  );
  if (objects.length < items.length || objects.length === 0) {
    const kinds = new Set(items.map((item) => (Array.isArray(item) ? "array" : item === null ? "null" : typeof item)));
    return [...kinds].toSorted().join(" or ") || "nothing";
  }
  const counts = new Map<string, number>();
  for (const item of objects) for (const key of Object.keys(item)) counts.set(key, (counts.get(key) ?? 0) + 1);
  const keys = [...counts].slice(0, KEYS).map(([key, count]) => {
    const inner = objects.find((item) => Object.hasOwn(item, key))![key];
    const nested =
      depth < 1 && typeof inner === "object" && inner !== null ? `: ${shapeOfValue(inner, depth + 1)}` : "";
    return `${keyName(key)}${count < objects.length ? "?" : ""}${nested}`;
  });
  return `{${keys.join(", ")}${counts.size > KEYS ? ", …" : ""}}`;
}

/** A key in one short piece of a line: nothing in it moves the cursor or turns the text around. */
function keyName(key: string): string {
  const plain = key.slice(0, KEY_CHARS).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\uFFFD");
  return key.length > KEY_CHARS ? `${plain}…` : plain;
}
