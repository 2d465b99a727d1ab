// Before a session leaves: what a person should look at first; then the file as it was decided.
import { setImmediate } from "node:timers/promises";
import { scalar, select } from "#db/statement.ts";
import { defaultMask, type ExportReview } from "#lib/wire/export-schema.ts";
import type { MaskChoice } from "#lib/wire/redaction-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { Masker, NOTHING_MASKED, type Decision } from "../base/masker.ts";
import { FindingsScan, PrivateFinder, type TextHook } from "../base/private-findings.ts";
import { rowRange } from "../base/row-keys.ts";
import { PLAIN } from "./export-file.ts";
import { openExport, type OpenedExport, type OpenOptions } from "./open-export.ts";

export type WriteOptions = OpenOptions & {
  readonly mask?: MaskChoice | undefined;
  readonly accept?: readonly string[];
  readonly hide?: readonly string[];
};

export type WrittenExport = {
  readonly name: string;
  readonly contentType: string;
  readonly pieces: AsyncIterable<Uint8Array>;
  /** What was masked, a sentence; whole once all pieces were read. */
  readonly masked: () => string;
};

/** What an export would have that a person should look at first. */
export const reviewExport = async (archive: Archive, name: string, options: OpenOptions): Promise<ExportReview> =>
  reviewOf(archive, name, await openExport(archive, name, options));

type Scanned = Pick<OpenedExport, "scan" | "notSearched" | "report">;

export async function reviewOf(archive: Archive, name: string, file: Scanned): Promise<ExportReview> {
  const finder = await finderOf(archive, name, file);
  // A name is found as a word too once a path has told whose it is: paths first.
  await through(file, (text) => {
    finder.addUsers(text);
    return text;
  });
  const scan = new FindingsScan(finder);
  const sizeBytes = await through(file, scan.hook);
  return {
    ...scan.list(),
    sizeBytes,
    notSearched: file.notSearched,
    events: (file.report?.excerpts ?? []).map(({ text, ...one }) => ({ ...one, shownChars: text.length })),
  };
}

export async function writeExport(archive: Archive, name: string, options: WriteOptions): Promise<WrittenExport> {
  const { accept = [], hide = [], mask = defaultMask(options.format), ...open } = options;
  const file = await openExport(archive, name, open);
  const head = { name: file.name, contentType: file.contentType };
  const masker = await maskerOf(archive, name, file, { mask, accept, hide });
  if (masker === null) return { ...head, pieces: file.pieces(PLAIN), masked: () => NOTHING_MASKED };
  return {
    ...head,
    pieces: file.pieces({ hook: masker.hook, masked: masker }),
    masked: () => masker.manifest().sentence,
  };
}

/** Null where nothing that was found is to be masked: the file is what it is without one. */
export async function maskerOf(
  archive: Archive,
  name: string,
  file: Scanned,
  decision: Decision,
): Promise<Masker | null> {
  const { mask, hide } = decision;
  if (hide.length === 0 && (mask === "none" || mask.length === 0)) return null;
  const finder = await finderOf(archive, name, file);
  const scan = new FindingsScan(finder);
  await through(file, (text, where, field) => {
    finder.addUsers(text);
    return scan.hook(text, where, field);
  });
  const masker = new Masker(decision, finder, scan.values);
  return masker.isIdle ? null : masker;
}

/** Events that are read at once. */
const EVENTS = 500;

/**
 * The folder of the session and its file name a user, also where they are not in the export. A report shortens paths: whose home they lie
 * in is said by the events alone.
 */
async function finderOf(archive: Archive, name: string, { report }: Scanned): Promise<PrivateFinder> {
  const { sqlite } = archive;
  const finder = new PrivateFinder();
  const pk = findSession(archive, name);
  const session = select(sqlite, "sessions", ["cwd", "source_pk", "next_seq"], "WHERE pk = ?").get(pk)!;
  const { cwd, source_pk: source, next_seq: end } = session;
  const path = source === null ? null : select(sqlite, "sources", ["path"], "WHERE pk = ?").get(source);
  for (const text of [cwd, path?.path]) if (text != null) finder.addUsers(text);
  if (report === null) return finder;
  const bodies = scalar(sqlite, "events.body", "FROM events WHERE id BETWEEN ? AND ?");
  for (let seq = 0; seq < end; seq += EVENTS) {
    for (const body of bodies.all(...rowRange(pk, seq, seq + EVENTS - 1))) finder.addUsers(body);
    await setImmediate();
  }
  return finder;
}

/** Others have their turn at least this often (milliseconds). */
const SLICE_MS = 20;

async function through(file: Scanned, hook: TextHook): Promise<number> {
  let sizeBytes = 0;
  let since = performance.now();
  for await (const bytes of file.scan(hook)) {
    sizeBytes += bytes;
    if (performance.now() - since < SLICE_MS) continue;
    await setImmediate();
    since = performance.now();
  }
  return sizeBytes;
}
