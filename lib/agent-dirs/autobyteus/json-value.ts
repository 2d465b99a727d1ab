// What stands in a file is JSON. Values that have none (a function, a bigint, NaN, a ring) are written as their text.
import { jsonText } from "#lib/kernel/json-text.ts";

/** The JSON text of any value: what is no JSON inside it is written as its text. */
export function valueText(value: unknown): string {
  const above: unknown[] = [];
  try {
    return (
      JSON.stringify(value, function (this: unknown, _key, one: unknown) {
        if (typeof one === "bigint" || typeof one === "function" || typeof one === "symbol") return String(one);
        if (typeof one === "number" && !Number.isFinite(one)) return String(one);
        if (typeof one !== "object" || one === null) return one;
        // What is being written, from the outermost to the holder of this value.
        while (above.length > 0 && above.at(-1) !== this) above.pop();
        if (above.includes(one)) return String(one);
        above.push(one);
        return one;
      }) ?? "null"
    );
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return jsonText(value);
  }
}

export const asText = (value: unknown): string | null => (typeof value === "string" ? value : null);
export const asNumber = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;
export const asTexts = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : undefined;
