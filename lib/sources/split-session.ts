// A session that its agent keeps as a file for each message and each part of one, as OpenCode did in 2025: `storage/session/<project>/<id>.json`,
// `storage/message/<id>/` and `storage/part/<message>/`; before, all three below `storage/session`. It is read as the rows of a database
// are: lines in a file of ours, under the name of the session's own file.
import { closeSync, lstatSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isAppError } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { rowsHandle } from "./rows-handle.ts";
import { openSource, type SourceHandle } from "./source-handle.ts";

type Json = Readonly<Record<string, unknown>>;

export const isSplitSession = (path: string): boolean =>
  /[\\/]storage[\\/]session[\\/][^\\/]+[\\/]ses_[\w-]+\.json$/.test(path);

export type SplitSession = { readonly handle: (final: boolean) => SourceHandle; close(): void };

type Folders = { readonly root: string; readonly messages: string; partsOf(message: string): string };

function foldersOf(path: string): Folders {
  const id = basename(path, ".json");
  const sessions = dirname(dirname(path));
  if (basename(dirname(path)) === "info")
    return {
      root: sessions,
      messages: join(sessions, "message", id),
      partsOf: (message) => join(sessions, "part", id, message),
    };
  const root = dirname(sessions);
  return { root, messages: join(root, "message", id), partsOf: (message) => join(root, "part", message) };
}

/** Another one when a file of the session came or its newest message was written: not every file is looked at. */
export function splitStamp(path: string): string {
  const { messages, partsOf } = foldersOf(path);
  const last = filesIn(messages).at(-1);
  const looked = [path, messages, ...(last === undefined ? [] : [join(messages, last), partsOf(idOf(last))])];
  const lastPart = last === undefined ? undefined : filesIn(partsOf(idOf(last))).at(-1);
  if (last !== undefined && lastPart !== undefined) looked.push(join(partsOf(idOf(last)), lastPart));
  return looked
    .map((one) => lstatSync(one, { throwIfNoEntry: false }))
    .map((found) => (found === undefined ? "-" : `${found.size}:${Math.round(found.mtimeMs)}`))
    .join(" ");
}

/** Its rows, in a file below `folder`. An answer that is still written waits, unless `final`. */
export async function openSplitSession(path: string, stamp: string, folder: string): Promise<SplitSession> {
  const { root, messages, partsOf } = foldersOf(path);
  const rows: { readonly lines: readonly string[]; readonly isOpen: boolean }[] = [];
  const info = await smallObject(path, root);
  if (info !== null) rows.push({ lines: [lineOf("session", sessionRow(info))], isOpen: false });
  for (const name of filesIn(messages)) {
    const data = await smallObject(join(messages, name), root);
    if (data === null) continue;
    const lines = [lineOf("message", { id: idOf(name), time_created: objectIn(data, "time")["created"], data })];
    const own = partsOf(idOf(name));
    for (const part of filesIn(own)) {
      const value = await smallObject(join(own, part), root);
      if (value !== null) lines.push(lineOf("part", { id: idOf(part), data: value }));
    }
    rows.push({ lines, isOpen: isWritten(data) });
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const dir = mkdtempSync(join(folder, "split-"));
  const changedMs = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return {
    handle(final) {
      const isHeld = !final && rows.at(-1)?.isOpen === true;
      const file = join(dir, "rows.jsonl");
      const fd = openSync(file, "w", 0o600);
      for (const { lines } of isHeld ? rows.slice(0, -1) : rows) writeSync(fd, lines.join(""));
      closeSync(fd);
      return rowsHandle(path, file, { stamp: isHeld ? `${stamp} open` : stamp, changedMs });
    },
    close: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** Names say when: a later one is greater. */
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^[\w-]+\.json$/.test(name))
      .toSorted();
  } catch {
    return [];
  }
}

const idOf = (name: string): string => name.replace(/\.json$/, "");

/** The object in a small file; null for one that is none, or was cut off: the next look finds it whole. */
export async function smallObject(path: string, root: string): Promise<Json | null> {
  try {
    const handle = await openSource(path, [root]);
    try {
      if (handle.size > LIMITS.lineBytes) return null;
      const value: unknown = JSON.parse(Buffer.from(await handle.read(0, handle.size)).toString("utf8"));
      return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isAppError(error) || error instanceof SyntaxError) return null;
    throw error;
  }
}

const objectIn = (value: Json, key: string): Json =>
  typeof value[key] === "object" && value[key] !== null ? (value[key] as Json) : {};

const sessionRow = ({ id, parentID, directory, title, version, revert, time }: Json): Json => ({
  id,
  parent_id: parentID,
  ...{ directory, title, version, revert, time_created: objectIn({ time }, "time")["created"] },
});

const isWritten = (data: Json): boolean =>
  data["role"] === "assistant" && objectIn(data, "time")["completed"] === undefined && data["error"] === undefined;

const lineOf = (table: string, row: Json): string => `${JSON.stringify({ table, row })}\n`;
