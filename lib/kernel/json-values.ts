// Finds JSON values in a text without parsing them: a table keeps each value as it is written, so that 2^53+1 and 1e400
// stay what they are. Pure; not recursive, so any depth is read.

/** The text ends before the value does. */
export const CUT = -1;
/** It is no JSON. */
export const BROKEN = -2;

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/u;

/** The first position from `at` that is no white space. */
export function skipSpace(text: string, at: number): number {
  let i = at;
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) break;
  }
  return i;
}

/** One past the value that begins at `at`; CUT or BROKEN. `isWhole`: no more text will come. */
export function valueEnd(text: string, at: number, isWhole: boolean): number {
  const code = text.charCodeAt(at);
  if (code === QUOTE) return stringEnd(text, at);
  if (code === OPEN_OBJECT || code === OPEN_LIST) return nestedEnd(text, at);
  return scalarEnd(text, at, isWhole);
}

function stringEnd(text: string, at: number): number {
  for (let i = text.indexOf('"', at + 1); i >= 0; i = text.indexOf('"', i + 1)) {
    let slashes = 0;
    while (text.charCodeAt(i - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return i + 1;
  }
  return CUT;
}

function nestedEnd(text: string, at: number): number {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      i = stringEnd(text, i) - 1;
      if (i < 0) return CUT;
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) depth++;
    else if ((code === CLOSE_OBJECT || code === CLOSE_LIST) && --depth === 0) return i + 1;
  }
  return CUT;
}

function scalarEnd(text: string, at: number, isWhole: boolean): number {
  let i = at;
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code <= 32 || code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT || code === COLON) break;
  }
  if (i === text.length && !isWhole) return CUT;
  const word = text.slice(at, i);
  return word === "true" || word === "false" || word === "null" || NUMBER.test(word) ? i : BROKEN;
}

type OnMember = (keyStart: number, keyEnd: number, valueStart: number, valueEnd: number) => void;

/** Each member of the object at `at`: its key without the quotes, its value. One past the object; CUT or BROKEN. */
export function eachMember(text: string, at: number, onMember: OnMember): number {
  let i = skipSpace(text, at + 1);
  if (text.charCodeAt(i) === CLOSE_OBJECT) return i + 1;
  for (;;) {
    if (i >= text.length) return CUT;
    if (text.charCodeAt(i) !== QUOTE) return BROKEN;
    const keyEnd = stringEnd(text, i);
    if (keyEnd < 0) return CUT;
    const colon = skipSpace(text, keyEnd);
    if (colon >= text.length) return CUT;
    if (text.charCodeAt(colon) !== COLON) return BROKEN;
    const start = skipSpace(text, colon + 1);
    if (start >= text.length) return CUT;
    const end = valueEnd(text, start, false);
    if (end < 0) return end;
    onMember(i + 1, keyEnd - 1, start, end);
    const next = afterItem(text, end, CLOSE_OBJECT);
    if (next.end !== null) return next.end;
    i = next.at;
  }
}

type OnItem = (start: number, end: number) => void;

/** Each item of the list at `at`. One past the list; CUT or BROKEN. */
export function eachItem(text: string, at: number, onItem: OnItem): number {
  let i = skipSpace(text, at + 1);
  if (text.charCodeAt(i) === CLOSE_LIST) return i + 1;
  for (;;) {
    if (i >= text.length) return CUT;
    const end = valueEnd(text, i, false);
    if (end < 0) return end;
    onItem(i, end);
    const next = afterItem(text, end, CLOSE_LIST);
    if (next.end !== null) return next.end;
    i = next.at;
  }
}

function afterItem(text: string, at: number, close: number): { readonly end: number | null; readonly at: number } {
  const i = skipSpace(text, at);
  if (i >= text.length) return { end: CUT, at: i };
  const code = text.charCodeAt(i);
  if (code === close) return { end: i + 1, at: i };
  return code === COMMA ? { end: null, at: skipSpace(text, i + 1) } : { end: BROKEN, at: i };
}

/** The characters of a JSON string between its quotes; as written where its escapes are wrong. */
export function stringOf(text: string, start: number, end: number): string {
  const raw = text.slice(start, end);
  if (!raw.includes("\\")) return raw;
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return raw;
  }
}
