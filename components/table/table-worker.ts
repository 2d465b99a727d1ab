// The worker of a table: fetches or is given the text, reads it into columns, and gives the page the rows that it shows.
import { LIMITS } from "#lib/kernel/limits.ts";
import { answerPage } from "./worker-talk.ts";
import { arrange } from "./arrange.ts";
import { csvReader } from "./csv-rows.ts";
import { jsonLinesReader, jsonValuesReader, type RowReader } from "./json-rows.ts";
import { columnView } from "./column-view.ts";
import { csvOf, rowJson } from "./table-out.ts";
import { KIND, TableStore } from "./table-store.ts";
import { CELL_CHARS, count, type Progress, type Questions, type TableFormat, type TableSource } from "./table-words.ts";

/** Told while it reads: often enough to be followed, seldom enough to cost nothing. */
const TELL_MS = 120;
/** A text of this size is read in one go between two messages. */
const PIECE_CHARS = 512 * 1024;

const store = new TableStore();
let order: Uint32Array = new Uint32Array(0);
/** Until it is arranged, rows stand as they come. */
let isArranged = false;
let stop: AbortController | null = null;
let bytes = 0;
let extra: string[] = [];

const rowAt = (at: number): number => (isArranged ? (order[at] ?? 0) : at);

const tell = answerPage<Questions>(
  {
    arrange(ask) {
      const startedAt = performance.now();
      order = arrange(store, ask);
      isArranged = ask.sort !== null || ask.query !== "" || ask.filters.length > 0;
      return { count: order.length, ms: performance.now() - startedAt };
    },
    rows({ from, to, columns }) {
      const count = isArranged ? order.length : store.rows;
      const shown = columns.map((at) => store.columns[at]);
      const rows = [];
      for (let at = from; at < Math.min(to, count); at++) {
        const row = rowAt(at);
        const cells = shown.map((column) => {
          const text = column?.texts[row] ?? "";
          const isCut = text.length > CELL_CHARS;
          return { text: isCut ? text.slice(0, CELL_CHARS) : text, kind: column?.kindAt(row) ?? KIND.missing, isCut };
        });
        rows.push({ row, cells });
      }
      return { from, rows };
    },
    row({ row }) {
      const fields = store.columns.flatMap((column) => {
        const kind = column.kindAt(row);
        return kind === KIND.missing ? [] : [{ name: column.name, text: column.texts[row] as string, kind }];
      });
      return { fields, json: rowJson(store, row), index: isArranged ? order.indexOf(row) : row };
    },
    csv({ columns }) {
      const rows = isArranged ? order : Uint32Array.from({ length: store.rows }, (_, at) => at);
      return { blob: new Blob([...csvOf(store, rows, columns)], { type: "text/csv" }) };
    },
  },
  (result) => {
    const message = result as { open: TableSource } | "stop";
    if (message === "stop") stop?.abort();
    else void open(message.open);
  },
);

const READERS: Readonly<Record<TableFormat, (store: TableStore) => RowReader>> = {
  csv: csvReader,
  lines: jsonLinesReader,
  list: (store) => jsonValuesReader(store, false),
  values: (store) => jsonValuesReader(store, true),
};

async function open(source: TableSource): Promise<void> {
  const reader = READERS[source.format](store);
  stop = new AbortController();
  // Before the first byte there is something to cancel.
  tellProgress(reader, false, false);
  try {
    const isStopped = source.kind === "text" ? readText(source.text, reader) : await readUrl(source.url, reader, stop);
    tellProgress(reader, true, isStopped);
  } catch (error) {
    tell({ failed: error instanceof Error ? error.message : String(error) });
  }
}

function readText(text: string, reader: RowReader): boolean {
  for (let at = 0; at < text.length; at += PIECE_CHARS) if (!reader.add(text.slice(at, at + PIECE_CHARS))) break;
  if (store.cap === null) reader.end();
  return false;
}

/** True when the reader was told to stop. */
async function readUrl(url: string, reader: RowReader, control: AbortController): Promise<boolean> {
  let notifiedAt = performance.now();
  try {
    const response = await fetch(url, { signal: control.signal });
    if (!response.ok || !response.body) throw new Error(`The server answered ${response.status}. Reload the page.`);
    const decoder = new TextDecoder();
    let hasBroken = false;
    const body = response.body.getReader();
    for (;;) {
      const { done, value } = await body.read();
      if (done) break;
      const room = LIMITS.tableBytes - bytes;
      const piece = value.length > room ? value.subarray(0, room) : value;
      bytes += piece.length;
      const text = decoder.decode(piece, { stream: true });
      hasBroken ||= text.includes("\uFFFD");
      const takesMore = reader.add(text);
      if (bytes >= LIMITS.tableBytes && takesMore) store.cap = "bytes";
      if (!takesMore || store.cap !== null) {
        await body.cancel();
        break;
      }
      if (performance.now() - notifiedAt > TELL_MS) {
        notifiedAt = performance.now();
        tellProgress(reader, false, false);
      }
    }
    if (hasBroken) extra = ["Bytes that are not UTF-8 are shown as \uFFFD."];
    if (store.cap === null) {
      reader.add(decoder.decode());
      reader.end();
    }
    return false;
  } catch (error) {
    if (control.signal.aborted) return true;
    throw error;
  }
}

function tellProgress(reader: RowReader, isDone: boolean, isStopped: boolean): void {
  const result: Progress = {
    rows: store.rows,
    bytes,
    columns: store.columns.map((column) => columnView(column, isDone)),
    isDone,
    isStopped,
    cap: store.cap,
    notes: [
      ...reader.notes(),
      ...(store.twice > 0
        ? [`${count(store.twice, "row says a key", "rows say a key")} twice: the last one counts.`]
        : []),
      ...(store.leftOut.size > 0
        ? [
            `${store.leftOut.size.toLocaleString("en-US")} more keys have no column; the chosen row's JSON leaves them out.`,
          ]
        : []),
      ...extra,
    ],
  };
  tell({ progress: result });
}
