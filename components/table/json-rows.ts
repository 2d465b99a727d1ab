// Rows of JSON as its text comes in: one value a line, the items of one list, or one value after the other as jq writes them.
// Pure; it lives in the worker.
import { BROKEN, CUT, eachItem, eachMember, skipSpace, stringOf, valueEnd } from "#lib/kernel/json-values.ts";
import { count } from "./table-words.ts";
import { KIND, type Column, type Kind, type TableStore } from "./table-store.ts";

/** The column of values that are no objects. */
export const VALUE = "value";

export type RowReader = {
  /** False when the table takes no more. */
  add: (text: string) => boolean;
  end: () => void;
  /** What a reader of the table must know, in sentences. */
  notes: () => string[];
};

/** Writes one value as a row. */
class JsonRow {
  readonly #store: TableStore;
  /** Columns by the key as it is written between its quotes. */
  readonly #byKey = new Map<string, Column | null>();
  /** Keys of the row before, in its order: the next row most often has the same. */
  #expected: { readonly raw: string; readonly column: Column | null }[] = [];

  constructor(store: TableStore) {
    this.#store = store;
  }

  /** One past the value at `at`; CUT or BROKEN, and then nothing was written. `isAlone`: nothing may stand after it. */
  write(text: string, at: number, isWhole: boolean, isAlone = false): number {
    const isBroken = (end: number): boolean => isAlone && skipSpace(text, end) !== text.length;
    const code = text.charCodeAt(at);
    // A value may turn out broken after its first members: nothing is written before its end is found.
    const spans: number[] = [];
    if (code === 123) {
      const end = eachMember(text, at, (keyStart, keyEnd, start, stop) => spans.push(keyStart, keyEnd, start, stop));
      if (end < 0 || isBroken(end)) return end < 0 ? end : BROKEN;
      for (let i = 0; i < spans.length; i += 4)
        this.#cell(this.#columnOf(text, spans[i] as number, spans[i + 1] as number, i), text, spans, i + 2);
      return end;
    }
    if (code === 91) {
      const end = eachItem(text, at, (start, stop) => spans.push(start, stop));
      if (end < 0 || isBroken(end)) return end < 0 ? end : BROKEN;
      for (let i = 0; i < spans.length; i += 2) this.#cell(this.#store.column(String(i / 2)), text, spans, i);
      return end;
    }
    const end = valueEnd(text, at, isWhole);
    if (end < 0 || isBroken(end)) return end < 0 ? end : BROKEN;
    this.#cell(this.#store.column(VALUE), text, [at, end], 0);
    return end;
  }

  #cell(column: Column | null, text: string, spans: readonly number[], i: number): void {
    if (column === null) return;
    const start = spans[i] as number;
    const end = spans[i + 1] as number;
    const kind = kindOf(text.charCodeAt(start));
    const shown = kind === KIND.text ? stringOf(text, start + 1, end - 1) : text.slice(start, end);
    this.#store.set(column, shown, kind);
  }

  #columnOf(text: string, start: number, end: number, nth: number): Column | null {
    const expected = this.#expected[nth];
    if (expected && expected.raw.length === end - start && text.startsWith(expected.raw, start)) return expected.column;
    const raw = text.slice(start, end);
    let column = this.#byKey.get(raw);
    if (column === undefined) {
      column = this.#store.column(stringOf(text, start, end));
      this.#byKey.set(raw, column);
    }
    this.#expected[nth] = { raw, column };
    return column;
  }
}

const kindOf = (code: number): Kind => {
  if (code === 34) return KIND.text;
  if (code === 123 || code === 91) return KIND.nested;
  if (code === 116 || code === 102) return KIND.boolean;
  return code === 110 ? KIND.null : KIND.number;
};

/** One value a line. A line that is none stands whole in the column of values. */
export function jsonLinesReader(store: TableStore): RowReader {
  const row = new JsonRow(store);
  let rest = "";
  let empty = 0;
  let broken = 0;
  const line = (text: string): boolean => {
    const at = skipSpace(text, 0);
    if (at === text.length) {
      empty++;
      return true;
    }
    if (row.write(text, at, true, true) < 0) {
      broken++;
      const column = store.column(VALUE);
      if (column !== null) store.set(column, text, KIND.broken);
    }
    return store.endRow();
  };
  return {
    add(text) {
      const from = rest.length;
      rest += text;
      let at = 0;
      // What was waiting holds no line end.
      for (let end = rest.indexOf("\n", from); end >= 0; end = rest.indexOf("\n", at)) {
        if (!line(rest.slice(at, end))) return false;
        at = end + 1;
      }
      rest = rest.slice(at);
      return true;
    },
    end() {
      if (rest !== "") line(rest);
      rest = "";
    },
    notes: () => [
      ...(broken > 0
        ? [
            `${count(broken, "line is not JSON and is shown", "lines are not JSON and are shown")} in the column “${VALUE}”.`,
          ]
        : []),
      ...(empty > 0 ? [`${count(empty, "empty line was", "empty lines were")} passed over.`] : []),
    ],
  };
}

/**
 * The items of one list; or, `isSequence`, values one after the other, of which a single list is taken for its items.
 * A value that does not end is looked at again when the text has doubled, so that a large one is not read at each piece.
 */
export function jsonValuesReader(store: TableStore, isSequence: boolean): RowReader {
  const row = new JsonRow(store);
  let rest = "";
  let lookAt = 0;
  let state: "start" | "items" | "values" | "done" | "broken" = "start";
  let note = "";
  /** What stood last in a list. */
  let last: "bracket" | "item" | "comma" = "bracket";
  const stop = (why: string): boolean => {
    state = "broken";
    note = why;
    return false;
  };
  const start = (isWhole: boolean): boolean => {
    const at = skipSpace(rest, 0);
    if (at === rest.length) return true;
    if (rest[at] !== "[") {
      if (!isSequence) return stop("It is not a list, so it has no rows.");
      state = "values";
      return true;
    }
    if (!isSequence) {
      state = "items";
      rest = rest.slice(at + 1);
      return true;
    }
    // A sequence that begins with a list: one list, or a list a row? Its text is in memory whole.
    if (!isWhole) return true;
    const end = valueEnd(rest, at, true);
    const isOne = end < 0 || skipSpace(rest, end) === rest.length;
    state = isOne ? "items" : "values";
    if (isOne) rest = rest.slice(at + 1);
    return true;
  };
  const read = (isWhole: boolean): boolean => {
    if (state === "start" && !start(isWhole)) return false;
    if (state === "start") return true;
    let at = 0;
    for (;;) {
      at = skipSpace(rest, at);
      if (at === rest.length) break;
      if (state === "done") return stop("Something stands after the list; it is left out.");
      if (state === "items" && rest[at] === "]" && last !== "comma") {
        state = "done";
        at++;
        continue;
      }
      if (state === "items" && rest[at] === "," && last === "item") {
        last = "comma";
        at++;
        continue;
      }
      const end = state === "items" && last === "item" ? BROKEN : row.write(rest, at, isWhole && state === "values");
      if (end === BROKEN)
        return stop(
          store.rows === 0
            ? "It is not JSON, so there is no table."
            : `After row ${store.rows.toLocaleString("en-US")} the text is not JSON. The rest is left out.`,
        );
      if (end === CUT) break;
      at = end;
      last = "item";
      if (!store.endRow()) return false;
    }
    rest = rest.slice(at);
    lookAt = rest.length * 2;
    return true;
  };
  return {
    add(text) {
      rest += text;
      return rest.length < lookAt ? true : read(false);
    },
    end() {
      if (state === "broken") return;
      if (!read(true)) return;
      const isCut = state === "items" || rest.trim() !== "";
      if (isCut) note = "It ends in the middle: the rows are those that are whole.";
    },
    notes: () => (note === "" ? [] : [note]),
  };
}
