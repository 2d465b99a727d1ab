// Values as requests hold them: copies, so that nothing given is shared with a payload; of well-formed text, because
// providers refuse half a surrogate pair; and never deeper than what every JSON library reads.
import { isDeep, jsonText } from "../../json-text.ts";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const wellFormed = (text: string): string => (text.isWellFormed() ? text : text.toWellFormed());

/** A copy as plain JSON. What JSON has no word for becomes its text; what is nested beyond 512 levels, its JSON text. */
export function copyOf(value: unknown): Json {
  const json = jsonOf(value);
  if (json === null) return wellFormed(String(value));
  return isDeep(value) ? wellFormed(json) : cleaned(JSON.parse(json) as Json);
}

/** The JSON text of a value, or null where it has none: it is bigger than JSON's words, or holds itself. */
function jsonOf(value: unknown): string | null {
  try {
    return jsonText(value);
  } catch {
    return null;
  }
}

function cleaned(value: Json): Json {
  if (typeof value === "string") return wellFormed(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(cleaned);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [wellFormed(key), cleaned(one)]));
}

/** A call's arguments as the object that every provider asks for. What is none stands under `input`, so it is not lost. */
export function argumentsOf(value: unknown): JsonObject {
  if (value === null || value === undefined) return {};
  const read = typeof value === "string" ? objectIn(value) : null;
  const copy = read ?? copyOf(value);
  return isObject(copy) ? (copy as JsonObject) : { input: copy };
}

/** The object that a text is the JSON of: some logs keep arguments as the model wrote them. */
function objectIn(text: string): Json | null {
  if (!text.trimStart().startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isDeep(value) ? null : copyOf(value);
  } catch {
    return null;
  }
}

/** A result's words: text as it is, numbers and truth values as words, nothing for null, compact JSON for the rest. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return wellFormed(value);
  if (typeof value === "object") return wellFormed(jsonOf(value) ?? String(value));
  return String(value);
}

/** An error in front of a model that has no field for it; words that say so themselves are not told twice. */
export const errorText = (error: string, isAsSent: boolean): string =>
  isAsSent || /^error\b/i.test(error) ? wellFormed(error) : `Error: ${wellFormed(error)}`;
