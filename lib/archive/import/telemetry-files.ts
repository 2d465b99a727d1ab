// Telemetry that was received, as files of the archive: `telemetry/<format>/<session>.otlp.jsonl`, a record a line, appended as it
// comes. A session is read from its file; the file is the truth.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { hash } from "node:crypto";
import { z } from "zod";
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { isOtlp, recordsOf, type OtlpRecord } from "#lib/formats/otlp/otlp-records.ts";
import { isAboutModels, ownerOf, storedPart, type Owner } from "#lib/formats/otlp/telemetry-owner.ts";
import type { Archive } from "../base/archive-type.ts";
import { perArchive } from "../base/per-archive.ts";
import { appendTelemetry, recoverTelemetry, telemetryFolder } from "./telemetry-journal.ts";

export type StoredTelemetry = {
  /** Files that grew. `isShown` is false while nothing in one is about a model, a tool or an agent. */
  readonly files: readonly { readonly path: string; readonly name: string; readonly isShown: boolean }[];
  /** Files of traces whose conversation was named now: what was in them is in its file. */
  readonly moved: readonly string[];
  readonly kept: number;
  /** Records that tell of no session. */
  readonly ignored: number;
  /** What these were, a sentence each. */
  readonly dropped: readonly string[];
  readonly refused: number;
  readonly reasons: readonly string[];
  /** Records by `service.name`. */
  readonly services: ReadonlyMap<string, number>;
};

/** The file of a session's telemetry. */
export function telemetryFile(archive: Pick<Archive, "dir">, { format, id, isNamed }: Owner): string {
  const isSafe = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/.test(id);
  const folder = format !== "otlp" ? format : isNamed ? "sessions" : "traces";
  return join(telemetryFolder(archive), folder, `${isSafe ? id : hash("sha256", id).slice(0, 32)}.otlp.jsonl`);
}

/** Beside the files: the names of traces, which spans that come after a new start do not repeat. */
const NAMES_FILE = "trace-names.journal";

/** Conversations of the traces of late, and whether a file of a trace has something to show. */
const tracesOf = perArchive(readNames);
const shownOf = perArchive(() => new Set<string>());

const TRACES = 50_000;
const FULL = `The telemetry of one session may have at most ${LIMITS.telemetryFileBytes} bytes.`;

/** Appends what a request tells of sessions. What the disk refuses fails all of it: the sender tries again. */
export async function storeTelemetry(archive: Archive, request: unknown): Promise<StoredTelemetry> {
  if (!isOtlp(request))
    fail(
      "invalid",
      "This is not an OTLP request. Send resourceSpans, resourceLogs or resourceMetrics with a list each.",
    );
  const all = [...recordsOf(request)];
  const named = nameTraces(archive, all);
  const lines = new Map<string, { name: string; isShown: boolean; text: string[] }>();
  const services = new Map<string, number>();
  const reasons = new Map<string, number>();
  const dropped = new Map<string, number>();
  let ignored = 0;
  for (const record of all) {
    const part = storedPart(record);
    const owner = part === "none" ? null : ownerIn(archive, record);
    const reason = part === "none" ? null : refusalOf(record);
    if (reason !== null) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    else if (owner === null) {
      ignored++;
      const what = record.isDistribution === true ? "histogram point" : KINDS[record.kind];
      dropped.set(what, (dropped.get(what) ?? 0) + 1);
    } else {
      const path = telemetryFile(archive, owner);
      const file = lines.get(path) ?? {
        name: `${owner.format}:${owner.id}`,
        isShown: shownOf(archive).has(path),
        text: [],
      };
      file.text.push(record.line(part === "position"));
      file.isShown ||= record.kind !== "span" || isAboutModels(record);
      if (file.isShown) shownOf(archive).add(path);
      lines.set(path, file);
      services.set(record.service, (services.get(record.service) ?? 0) + 1);
    }
  }
  const folder = telemetryFolder(archive);
  const parts = [...lines].map(([path, { text }]) => ({ file: relative(folder, path), text: `${text.join("\n")}\n` }));
  const names = named.map(([trace, { id }]) => `${JSON.stringify({ trace, id })}\n`);
  if (names.length > 0) parts.push({ file: NAMES_FILE, text: names.join("") });
  const full = await appendTelemetry(archive, parts).catch((error: unknown) => {
    // They are sent again, and are to be stored then.
    for (const [trace] of named) tracesOf(archive).delete(trace);
    throw error;
  });
  for (const file of full) {
    if (file === NAMES_FILE) continue;
    const path = join(folder, file);
    reasons.set(FULL, (reasons.get(FULL) ?? 0) + lines.get(path)!.text.length);
    lines.delete(path);
  }
  // Now, since what came before the name is in the file of the trace only when the append of this request is done.
  const moves = await moveTraces(archive, new Set(all.flatMap(({ traceId }) => traceId ?? [])));
  for (const { to } of moves) if (!lines.has(to.path)) lines.set(to.path, { name: to.name, isShown: true, text: [] });
  const kept = [...lines.values()].reduce((sum, { text }) => sum + text.length, 0);
  return {
    files: [...lines].map(([path, { name, isShown }]) => ({ path, name, isShown })),
    moved: moves.map(({ from }) => from),
    kept,
    ignored,
    dropped: [...dropped].map(([what, count]) => `${count} ${what}${count === 1 ? "" : "s"} not stored: no session.`),
    refused: all.length - kept - ignored,
    reasons: [...reasons].map(([reason, count]) => `${count} ${count === 1 ? "record" : "records"}: ${reason}`),
    services,
  };
}

const KINDS = { span: "span", log: "log record", metric: "metric point" } as const;

const refusalOf = ({ kind, traceId, spanId }: OtlpRecord): string | null =>
  kind === "span" && (traceId === null || spanId === null) ? "A span needs a traceId and a spanId." : null;

function ownerIn(archive: Archive, record: OtlpRecord): Owner | null {
  const owner = ownerOf(record);
  return owner === null || owner.isNamed ? owner : (tracesOf(archive).get(owner.id) ?? owner);
}

/** Learns the names of traces; gives those that are new. */
function nameTraces(archive: Archive, records: readonly OtlpRecord[]) {
  const traces = tracesOf(archive);
  const names: (readonly [trace: string, owner: Owner])[] = [];
  for (const record of records) {
    const { traceId } = record;
    const owner = ownerOf(record);
    if (traceId === null || owner?.isNamed !== true || owner.format !== "otlp" || traces.has(traceId)) continue;
    traces.set(traceId, owner);
    names.push([traceId, owner]);
    if (traces.size > TRACES) traces.delete(traces.keys().next().value!);
  }
  return names;
}

type Move = { readonly from: string; readonly to: { readonly path: string; readonly name: string } };

/** Traces that are moved at this moment: another request may ask for the same. */
const movingOf = perArchive(() => new Set<string>());

/** Moves the files of traces whose conversation is known into its file, as far as it has room. */
async function moveTraces(archive: Archive, ids: Iterable<string>): Promise<Move[]> {
  const moving = movingOf(archive);
  const moves: Move[] = [];
  for (const id of ids) {
    const owner = tracesOf(archive).get(id);
    const from = telemetryFile(archive, { format: "otlp", id, isNamed: false });
    if (owner === undefined || moving.has(id) || !existsSync(from)) continue;
    moving.add(id);
    try {
      const path = telemetryFile(archive, owner);
      const part = { file: relative(telemetryFolder(archive), path), text: await readFile(from, "utf8") };
      if ((await appendTelemetry(archive, [part])).length > 0) continue;
      await rm(from, { force: true });
      shownOf(archive).delete(from);
      moves.push({ from, to: { path, name: `otlp:${owner.id}` } });
    } finally {
      moving.delete(id);
    }
  }
  return moves;
}

/** What the last process left: its journal, and traces that it named and did not move, or that stand in the journal still. */
export async function recoverTraces(archive: Archive): Promise<Pick<StoredTelemetry, "files" | "moved">> {
  await recoverTelemetry(archive);
  const folder = join(telemetryFolder(archive), "traces");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const moves = await moveTraces(
    archive,
    names.map((name) => name.slice(0, name.indexOf("."))),
  );
  return { files: [], moved: moves.map(({ from }) => from) };
}

const nameLine = z.object({ trace: z.string(), id: z.string() });

/** Of an earlier run; the newest ones. A file that has grown to twice as many is written anew. */
function readNames(archive: Archive): Map<string, Owner> {
  const path = join(telemetryFolder(archive), NAMES_FILE);
  const lines = existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : [];
  const kept = lines.slice(-TRACES);
  if (lines.length > 2 * TRACES) writeFileSync(path, `${kept.join("\n")}\n`, { mode: 0o600 });
  const names = kept.flatMap((line) => {
    const read = nameLine.safeParse(jsonOf(line));
    return read.success ? [[read.data.trace, { format: "otlp", id: read.data.id, isNamed: true }] as const] : [];
  });
  return new Map<string, Owner>(names);
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // Cut off by a process that ended: its request was not acknowledged.
    return null;
  }
}
