// Rows of CSV as its text comes in: the separator is found out, the first row is the head unless it holds numbers.
// Papa Parse reads the cells. Pure; it lives in the worker.
import Papa from "papaparse";
import type { RowReader } from "./json-rows.ts";
import { count } from "./table-words.ts";
import { isNumeric, KIND, uniqueNames, type Column, type TableStore } from "./table-store.ts";

const SEPARATORS = [",", "\t", ";", "|"];
/** Of this much the separator is told. */
const SAMPLE_CHARS = 64 * 1024;
const SAMPLE_ROWS = 50;

type Parsed = {
  readonly data: readonly (readonly string[])[];
  readonly errors: readonly unknown[];
  readonly meta: { readonly cursor: number };
};

export function csvReader(store: TableStore): RowReader {
  let rest = "";
  let lookAt = 0;
  let separator = "";
  let newline = "\n";
  let columns: (Column | null)[] | null = null;
  let hasHead = true;
  let ragged = 0;
  let empty = 0;
  let badQuotes = 0;

  const begin = (): void => {
    // A text of carriage returns alone is an old Mac's. Else lines end in a line feed, with or without a return before it.
    const sample = rest.slice(0, SAMPLE_CHARS);
    newline = sample.includes("\n") || !sample.includes("\r") ? "\n" : "\r";
    separator = separatorOf(sample, newline);
  };
  const addRow = (cells: readonly string[]): boolean => {
    if (cells.length === 1 && cells[0] === "") {
      empty++;
      return true;
    }
    if (columns === null) {
      hasHead = cells.length > 0 && !cells.some((cell) => isNumeric(cell.trim()));
      columns = uniqueNames(hasHead ? cells : cells.map(() => "")).map((name) => store.column(name));
      if (hasHead) return true;
    }
    if (cells.length !== columns.length) {
      ragged++;
      while (columns.length < cells.length) columns.push(store.column(`column ${columns.length + 1}`));
    }
    for (let i = 0; i < cells.length; i++) {
      const column = columns[i];
      const cell = cells[i] as string;
      if (column) store.set(column, cell, cell === "" ? KIND.missing : isNumeric(cell) ? KIND.number : KIND.text);
    }
    return store.endRow();
  };
  const read = (isWhole: boolean): boolean => {
    if (separator === "") begin();
    const { data, errors, meta } = parse(rest, separator, newline, !isWhole);
    badQuotes += errors.length;
    for (let i = 0; i < data.length; i++) {
      const cells = data[i] as string[];
      // Nothing stands after the last line end.
      if (isWhole && i === data.length - 1 && cells.length === 1 && cells[0] === "") break;
      const last = cells.length - 1;
      if (cells[last]?.endsWith("\r")) cells[last] = cells[last].slice(0, -1);
      if (!addRow(cells)) return false;
    }
    rest = isWhole ? "" : rest.slice(meta.cursor);
    // A quote that does not close is looked for again when the text has doubled, not at each piece.
    lookAt = rest.length * 2;
    return true;
  };
  return {
    add(text) {
      rest += text;
      if (separator === "" && rest.length < SAMPLE_CHARS) return true;
      return rest.length < lookAt ? true : read(false);
    },
    end() {
      if (rest !== "" && store.cap === null) read(true);
    },
    notes: () => [
      ...(hasHead ? [] : ["The first row holds numbers, so it is taken for a row and not for a head."]),
      ...(separator === "," || separator === ""
        ? []
        : [`Cells are parted by ${SEPARATOR_WORDS[separator] ?? separator}.`]),
      ...(ragged > 0 ? [`${count(ragged, "row has", "rows have")} more or fewer cells than the head.`] : []),
      ...(badQuotes > 0
        ? [`${count(badQuotes, "quote stands", "quotes stand")} where none may: what follows it may be in one cell.`]
        : []),
      ...(empty > 0 ? [`${count(empty, "empty line was", "empty lines were")} passed over.`] : []),
    ],
  };
}

const SEPARATOR_WORDS: Readonly<Record<string, string>> = { "\t": "tabs", ";": "semicolons", "|": "bars" };

function parse(text: string, delimiter: string, newline: string, ignoreLastRow: boolean): Parsed {
  const config = { delimiter, newline: newline as "\n", quoteChar: '"' };
  return new Papa.Parser(config).parse(text, 0, ignoreLastRow) as Parsed;
}

/** The separator at which the most rows have as many cells as the first, which has more than one. */
function separatorOf(sample: string, newline: string): string {
  let best = { separator: ",", score: 0 };
  for (const separator of SEPARATORS) {
    if (!sample.includes(separator)) continue;
    const { data, errors } = parse(sample, separator, newline, false);
    const rows = data.slice(0, SAMPLE_ROWS);
    const width = rows[0]?.length ?? 0;
    const alike = rows.filter(({ length }) => length === width).length;
    // A quote in the wrong position says that cells are parted elsewhere.
    const score = width < 2 ? 0 : (alike / rows.length) * Math.min(width, 3) * (errors.length > 0 ? 0.25 : 1);
    if (score > best.score) best = { separator, score };
  }
  return best.separator;
}
