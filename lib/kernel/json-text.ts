// JSON of values that strangers wrote. JSON.parse reads any depth, but V8's JSON.stringify and structuredClone throw at
// about 5,000 levels, React and jq earlier: what is nested deeper than LEVELS goes on as text.

/** Levels that go on as a value. */
export const LEVELS = 512;

/** The JSON text of a value, however deep it is nested. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return writeDeep(value);
  }
}

/** True when a value is nested deeper than LEVELS. Looks at it level by level, without recursion. */
export function isDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth < LEVELS; depth++) {
    const below: unknown[] = [];
    for (const one of level)
      if (typeof one === "object" && one !== null)
        for (const child of Object.values(one)) if (typeof child === "object" && child !== null) below.push(child);
    if (below.length === 0) return false;
    level = below;
  }
  return true;
}

/** Plain data only, as JSON.parse makes it: no toJSON, nothing that is not JSON. */
function writeDeep(value: unknown): string {
  const parts: string[] = [];
  const rest: { readonly text?: string; readonly value?: unknown }[] = [{ value }];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (next.text !== undefined) parts.push(next.text);
    else if (typeof next.value !== "object" || next.value === null) parts.push(JSON.stringify(next.value) ?? "null");
    else {
      const isList = Array.isArray(next.value);
      const children = Object.entries(next.value);
      rest.push({ text: isList ? "]" : "}" });
      for (let i = children.length - 1; i >= 0; i--) {
        const [key, child] = children[i]!;
        rest.push({ value: child }, { text: `${i > 0 ? "," : ""}${isList ? "" : `${JSON.stringify(key)}:`}` });
      }
      parts.push(isList ? "[" : "{");
    }
  }
  return parts.join("");
}
