// Attribute values of OTLP/JSON. A span comes from a stranger: what is nested too deep is cut, and names are keys of a Map.
import { asArray, asCount, asObject, asText, isObject, LARGEST } from "../json.ts";

export type Attributes = ReadonlyMap<string, unknown>;

/** Levels of lists and maps inside one attribute that are read. */
const LEVELS = 32;

/** The value of an OTLP `AnyValue`; null for one that has none, or of a kind that is not known. */
export function anyValue(given: unknown, level = 0): unknown {
  const value = asObject(given);
  if (typeof value["stringValue"] === "string") return value["stringValue"];
  if (value["intValue"] !== undefined) return wholeOrText(value["intValue"]);
  if (typeof value["doubleValue"] === "number" || typeof value["boolValue"] === "boolean")
    return value["doubleValue"] ?? value["boolValue"];
  if (level >= LEVELS) return null;
  if (isObject(value["arrayValue"]))
    return asArray(value["arrayValue"]["values"]).map((one) => anyValue(one, level + 1));
  if (isObject(value["kvlistValue"]))
    return Object.fromEntries(attributesOf(value["kvlistValue"]["values"], level + 1));
  return typeof value["bytesValue"] === "string" ? value["bytesValue"] : null;
}

/** Attributes by their keys; of a key that is there twice, the last. */
export function attributesOf(list: unknown, level = 0): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const one of asArray(list)) {
    const { key, value } = asObject(one);
    if (typeof key === "string") found.set(key, anyValue(value, level));
  }
  return found;
}

/** 64-bit numbers are text in OTLP/JSON. */
function wholeOrText(value: unknown): unknown {
  const number = typeof value === "string" && /^-?\d{1,19}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : asText(value);
}

/** The text of the first of these attributes that has one. */
export function textOf(attributes: Attributes, ...names: readonly string[]): string | null {
  for (const name of names) {
    const value = attributes.get(name);
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}

/** The count in the first of these attributes that has one, as a number or as text; else null. */
export function countOf(attributes: Attributes, ...names: readonly string[]): number | null {
  for (const name of names) {
    const value = numberOf(attributes.get(name));
    if (value !== null) return asCount(value);
  }
  return null;
}

export function numberOf(value: unknown): number | null {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Math.abs(number) <= LARGEST ? number : null;
}

/** Milliseconds since 1970 of nanoseconds, given as text or as a number; null for 0, which means unknown. */
export function timeOf(nanos: unknown): number | null {
  if (typeof nanos !== "string" && typeof nanos !== "number") return null;
  const ms = Math.floor(Number(nanos) / 1e6);
  return Number.isFinite(ms) && ms > 0 && ms < 1e14 ? ms : null;
}

/** Bytes of an id as lower-case hex: OTLP/JSON has hex, naive dumps of protobuf have base64. Null where it is neither, or zero. */
export function idOf(value: unknown, bytes: 8 | 16): string | null {
  if (typeof value !== "string") return null;
  const hex = value.length === bytes * 2 ? value.toLowerCase() : hexOfBase64(value);
  return hex.length === bytes * 2 && /^[0-9a-f]+$/.test(hex) && !/^0+$/.test(hex) ? hex : null;
}

function hexOfBase64(value: string): string {
  if (value.length > 24 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return "";
  const bare = value.replace(/=+$/, "");
  // No base64 has one character over; atob would throw.
  if (bare.length % 4 === 1) return "";
  return [...atob(bare)].map((char) => char.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}
