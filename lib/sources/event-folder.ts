// A conversation that OpenHands keeps as a file for each event: `<conversation>/events/0.json` and on in version 0, `event-00000-<id>.json`
// in version 1, `event_000000_<id>.json` in what its server exports. It is read as the rows of a database are: lines in a file of ours,
// under the name of its first event. What version 1 counts stands in `base_state.json` beside the folder.
import { closeSync, lstatSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { rowsHandle } from "./rows-handle.ts";
import { smallObject, type SplitSession } from "./split-session.ts";

type Json = Readonly<Record<string, unknown>>;
export type NumberedEvent = { readonly number: number; readonly event: Json };

const NUMBERED = /[\\/#]events[\\/](\d{1,9})\.json$/;
const NAMED = /(?:^|[\\/#])event[-_](\d{5,9})[-_][\w-]+\.json$/;

/** The number of an event, by the name of its file; null for any other file. */
export function eventNumber(path: string): number | null {
  const digits = NUMBERED.exec(path)?.[1] ?? NAMED.exec(path)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** The folder of events that a page of several repeats; null for any other file. */
export const eventsOfPage = (path: string): string | null =>
  /^(.*[\\/#])event_cache[\\/]\d+-\d+\.json$/s.exec(path)?.[1]?.concat("events") ?? null;

/** Events of a folder in their order, as paths: links and pipes are none. */
export function eventFilesIn(folder: string): string[] {
  try {
    const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
    return inOrder(files.map(({ name }) => join(folder, name)));
  } catch {
    return [];
  }
}

/** Those of the paths that are events, in their order. */
export const inOrder = (paths: readonly string[]): string[] =>
  paths
    .flatMap((path) => {
      const number = eventNumber(path);
      return number === null ? [] : [{ path, number }];
    })
    .toSorted((a, b) => a.number - b.number || (a.path < b.path ? -1 : 1))
    .map(({ path }) => path);

/** Where version 1 keeps what the conversation has used: beside its folder of events. */
export const statePath = (event: string): string | null =>
  /^(.*[\\/#])[^\\/#]+[\\/][^\\/#]+$/s.exec(event)?.[1]?.concat("base_state.json") ?? null;

/** The folder of a file, also in an archive. */
export const folderOf = (path: string): string => /^(.*)[\\/#][^\\/#]*$/s.exec(path)?.[1] ?? "";

/** Another one when an event came: those that are there are not written again. */
export function eventsStamp(path: string): string {
  const files = eventFilesIn(dirname(path));
  const state = statePath(path);
  const looked = [files.at(-1) ?? path, ...(state === null ? [] : [state])]
    .map((one) => lstatSync(one, { throwIfNoEntry: false }))
    .map((found) => (found === undefined ? "-" : `${found.size}:${Math.round(found.mtimeMs)}`));
  return [files.length, ...looked].join(" ");
}

/** Its rows, in a file below `folder`. */
export async function openEventFolder(path: string, stamp: string, folder: string): Promise<SplitSession> {
  const own = dirname(path);
  const files = eventFilesIn(own);
  const events: NumberedEvent[] = [];
  for (const file of files) {
    const event = await smallObject(file, own);
    if (event !== null) events.push({ number: eventNumber(file)!, event });
  }
  const state = statePath(path);
  const lines = eventRows(events, state === null ? null : await smallObject(state, dirname(own)));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const dir = mkdtempSync(join(folder, "events-"));
  const changedMs = lstatSync(files.at(-1) ?? path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return {
    handle() {
      const file = join(dir, "rows.jsonl");
      writeLines(file, lines);
      return rowsHandle(path, file, { stamp, changedMs });
    },
    close: () => rmSync(dir, { recursive: true, force: true }),
  };
}

export function writeLines(file: string, lines: readonly string[]): void {
  const fd = openSync(file, "w", 0o600);
  for (const line of lines) writeSync(fd, line);
  closeSync(fd);
}

/** A line for each event, with the tokens of the answer that it is the first of, and one for the sums of the conversation. */
export function eventRows(events: readonly NumberedEvent[], state: Json | null): string[] {
  const spent = objectIn(objectIn(state ?? {}, "stats"), "usage_to_metrics");
  // Sums between the events say it already.
  const usages = events.some(({ event }) => isStats(event)) ? new Map<unknown, Json>() : usagesOf(spent);
  const lines = events.map(({ number, event }) => {
    const answer = event["llm_response_id"];
    const usage = usages.get(answer);
    usages.delete(answer);
    return lineOf("openhands_event", { id: String(number), event, ...(usage !== undefined && { usage }) });
  });
  if (state === null) return lines;
  const sums = Object.entries(spent).map(([purpose, metrics]) => {
    const { model_name, accumulated_cost, accumulated_token_usage } = asObject(metrics);
    return [purpose, { model_name, accumulated_cost, accumulated_token_usage }] as const;
  });
  const row = {
    id: "state",
    model: objectIn(objectIn(state, "agent"), "llm")["model"],
    cwd: objectIn(state, "workspace")["working_dir"],
    usage_to_metrics: Object.fromEntries(sums),
  };
  return [...lines, lineOf("openhands_state", row)];
}

const isStats = ({ kind, key }: Json): boolean =>
  kind === "ConversationStateUpdateEvent" && (key === "stats" || key === "full_state");

/** Tokens by the id of the answer, whatever it was for. */
const usagesOf = (spent: Json): Map<unknown, Json> =>
  new Map(
    Object.values(spent).flatMap((metrics) => {
      const usages = asObject(metrics)["token_usages"];
      return (Array.isArray(usages) ? usages : []).map((one) => {
        const { response_id: id, ...usage } = asObject(one);
        return [id, { model: asObject(metrics)["model_name"], ...usage }] as const;
      });
    }),
  );

const asObject = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});
const objectIn = (value: Json, key: string): Json => asObject(value[key]);
const lineOf = (table: string, row: Json): string => `${JSON.stringify({ table, row })}\n`;
