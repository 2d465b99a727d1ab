// Masks the strings of JSON, each as what it says and not as it is escaped: what comes out is JSON again, and all but the
// masked strings is as it was, to the byte.
import type { TextHook } from "./private-findings.ts";

/** JSON inside of a string is taken as JSON up to this depth. */
const DEPTH = 4;
/** Longer texts are not parsed to learn whether they are JSON (characters). */
const MOST_PARSED = 32 * 1024 * 1024;

/** A text, by its strings where it is JSON. */
export function maskText(text: string, hook: TextHook, where: string, name = "", depth = 0): string {
  return depth < DEPTH && isJson(text) ? maskJsonText(text, hook, where, depth) : hook(text, where, name);
}

/** The strings of a text that is JSON, or lines or a part of it. */
export function maskJsonText(text: string, hook: TextHook, where: string, depth = 0): string {
  let result = "";
  let at = 0;
  let name = "";
  for (let start = text.indexOf('"'); start >= 0;) {
    const end = endOfString(text, start);
    // A line that was cut off inside of a string: its rest is no JSON.
    const isOpen = end < 0;
    const literal = isOpen ? text.slice(start) : text.slice(start, end);
    const isName = !isOpen && isNameAt(text, end);
    const masked = isOpen ? hook(literal, where) : maskLiteral(literal, hook, where, isName ? "" : name, depth);
    if (isName) name = literal.slice(1, -1);
    if (masked !== literal) {
      result += text.slice(at, start) + masked;
      at = start + literal.length;
    }
    start = isOpen ? -1 : text.indexOf('"', end);
  }
  return result + text.slice(at);
}

const BACKSLASH = 0x5c;

/** Behind the quote that ends a string; −1 where none does. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  return -1;
}

function maskLiteral(literal: string, hook: TextHook, where: string, name: string, depth: number): string {
  if (literal.length < 5 || isImage(literal, name)) return literal;
  let value: string;
  try {
    value = JSON.parse(literal) as string;
  } catch {
    return hook(literal, where, name);
  }
  const masked = maskText(value, hook, where, name, depth + 1);
  return masked === value ? literal : JSON.stringify(masked);
}

/** How base64 of images and documents begins: it says nothing that a pattern knows, and is megabytes. */
const IMAGE = /^"(?:data:image\/[a-z+.-]+;base64,)?(?:iVBORw0|\/9j\/|R0lGOD|UklGR|JVBERi0|Qk0)/;

const isImage = (literal: string, name: string): boolean =>
  literal.length > 256 && (name === "base64" || IMAGE.test(literal.slice(0, 64)));

function isNameAt(text: string, end: number): boolean {
  let at = end;
  while (text.charCodeAt(at) === 0x20 || text.charCodeAt(at) === 0x0a) at++;
  return text.charCodeAt(at) === 0x3a;
}

function isJson(text: string): boolean {
  if (text.length > MOST_PARSED || !/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A value with its strings masked; the same value where none was. */
export function maskValue<Value>(value: Value, hook: TextHook, where: string): Value {
  return masked(value, hook, where, "") as Value;
}

function masked(value: unknown, hook: TextHook, where: string, name: string): unknown {
  if (typeof value === "string") return maskText(value, hook, where, name);
  if (Array.isArray(value)) {
    const items = value.map((item) => masked(item, hook, where, name));
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  let isChanged = false;
  const entries = Object.entries(value).map(([key, one]) => {
    const shown = hook(key, where);
    // Bytes of an image say nothing that a pattern knows.
    const own = key === "base64" ? one : masked(one, hook, where, key);
    isChanged ||= shown !== key || own !== one;
    return [shown, own];
  });
  return isChanged ? Object.fromEntries(entries) : value;
}
