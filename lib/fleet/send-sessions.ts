// Sending sessions of this machine's archive to a fleet: a node is asked which objects the bucket lacks, those go there directly,
// and one commit names them all. Cut off anywhere, the next run asks again and goes on; what was committed as it is now is skipped.
import { hash } from "node:crypto";
import { query } from "#db/statement.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { familyOf as sessionsOfFamily } from "#lib/archive/bundle/bundle-family.ts";
import { planSentFamily, type PlannedFamily } from "#lib/archive/exports/sent-family.ts";
import { entriesOf, type Manifest } from "#lib/archive/bundle/bundle-manifest.ts";
import { isOk, sendRequest } from "#lib/blobs/http-request.ts";
import { findSession } from "#lib/archive/base/find-session.ts";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import {
  commitAnswer,
  missingAnswer,
  type CommitAnswer,
  type MissingAnswer,
  type SentObject,
} from "#lib/wire/fleet-schema.ts";
import type { MaskChoice } from "#lib/wire/redaction-schema.ts";
import { excludedBy } from "./excluded-folders.ts";
import { again, askNode, projectToSendTo, SILENT_MS } from "./sender-requests.ts";
import { PRINT_CHARS, readMemo, type SentMemo } from "./sent-memo.ts";

export type SendOptions = {
  /** A node's address, and a token of it. */
  readonly to: string;
  readonly token: string;
  /** Null: that of the token, which the node is asked for. */
  readonly project: string | null;
  readonly sender: string;
  /** Sessions by id; all where it is null. */
  readonly sessions: readonly string[] | null;
  /** Globs of folders: sessions that ran there stay here. */
  readonly exclude: readonly string[];
  readonly mask: MaskChoice;
  readonly dryRun: boolean;
  /** Whether the node is asked which of those that were sent it lacks by now; it is where nothing is said. */
  readonly asksLacking?: boolean;
  readonly signal?: AbortSignal;
  readonly onFamily?: (result: SentResult) => void;
  /** Told of the project before anything goes there. */
  readonly onProject?: (project: string) => void;
};
/** As the node says it. */
type Sent = SendOptions & { readonly project: string };

export type SentResult = {
  readonly id: string;
  readonly title: string;
  readonly cwd: string | null;
  readonly sessions: number;
  /** In all, and what the bucket did not have. */
  readonly objects: number;
  readonly bytes: number;
  readonly sentObjects: number;
  readonly sentBytes: number;
  /** deleted: the fleet does not take it. That is no failure: somebody wanted it so. */
  readonly state: "sent" | "unchanged" | "excluded" | "would send" | "deleted" | "failed";
  readonly reason: string | null;
};

const CONNECTIONS = 4;
const ASKED = 1000;

export async function sendSessions(archive: Archive, asked: SendOptions): Promise<SentResult[]> {
  // Once, before anything else: what was sent where is remembered by project, and a token that may not send there is refused for all.
  const options: Sent = { ...asked, project: await projectToSendTo(asked, asked.project) };
  options.onProject?.(options.project);
  const memo = readMemo(archive, options);
  const results: SentResult[] = [];
  const covered = new Set<string>();
  const puts = atMost(CONNECTIONS);
  // Most families are an object or two: while one is committed, the next ones are packed and sent.
  const tops = topSessions(archive, options.sessions);
  const sent = options.asksLacking === false ? [] : memo.sentAmong(tops.map(({ id }) => id));
  const changes = await changesAmong(sent, options);
  const due = tops.entries();
  let isStopped = false;
  const sendDue = async (): Promise<void> => {
    for (const [n, top] of due) {
      if (isStopped) return;
      options.signal?.throwIfAborted();
      const result = await sendTop(archive, top, { options, memo, ...changes, covered, puts });
      if (result === null) continue;
      results[n] = result;
      options.onFamily?.(result);
    }
  };
  const senders = Array.from({ length: CONNECTIONS }, () =>
    sendDue().catch((error: unknown) => {
      isStopped = true;
      throw error;
    }),
  );
  await Promise.allSettled(senders);
  await Promise.all(senders);
  return results.filter((result) => result !== undefined);
}

/** Of what was sent before. */
type SentChanges = {
  /** To be sent again. */
  readonly lacking: ReadonlySet<string>;
  /** Deleted in the fleet. */
  readonly gone: ReadonlyMap<string, MissingAnswer["gone"][number]>;
};

type Sending = SentChanges & {
  readonly options: Sent;
  readonly memo: SentMemo;
  /** Sessions of families that were looked at. */
  readonly covered: Set<string>;
  readonly puts: AtMost;
};

/** Sends the family of a session; null where it was looked at before. */
async function sendTop(
  archive: Archive,
  { id, title, cwd }: Top,
  { options, memo, lacking, gone, covered, puts }: Sending,
): Promise<SentResult | null> {
  if (covered.has(id)) return null;
  const base = { id, title, cwd, sessions: 1, objects: 0, bytes: 0, sentObjects: 0, sentBytes: 0, reason: null };
  const print = familyPrint(archive, id);
  print.ids.forEach((one) => covered.add(one));
  const excluding = excludedBy(print.cwds, options.exclude);
  // One of a family stays here: the others of it do, too, since their history may stand in it.
  if (excluding !== null) return { ...base, state: "excluded", reason: excluding };
  const before = memo.get(id);
  const ended = printOfEnded(print.text);
  if ((before === print.text || before === ended) && !lacking.has(id)) {
    const sessions = print.ids.length;
    const deleted = before === ended ? undefined : gone.get(id);
    if (deleted === undefined) return { ...base, sessions, state: "unchanged" };
    // What limits ended is said once, what somebody deleted each time.
    if (deleted.isOver && !options.dryRun) memo.save(id, ended);
    return { ...base, sessions, state: "deleted", reason: deleted.reason };
  }
  try {
    const family = await planSentFamily(archive, id, options.mask);
    const counts = await sendFamily(family, options, puts, {
      // What a dry run counts is what the bucket lacks.
      fresh: !options.dryRun && !memo.isBegun(id) && !lacking.has(id),
      onBegin: () => memo.begin(id),
    });
    if ("deleted" in counts) {
      // One that may be restored is asked for each time: what it has by then has to come.
      if (counts.deleted.isOver && !options.dryRun) memo.save(id, ended);
      return { ...base, sessions: family.sessions.length, state: "deleted", reason: counts.deleted.reason };
    }
    if (!options.dryRun) memo.save(id, print.text);
    const state = options.dryRun ? "would send" : "sent";
    return { ...base, sessions: family.sessions.length, ...counts, state, reason: family.masked };
  } catch (error) {
    // A node that is away is away for all of them, and so is a right that was taken meanwhile.
    if (!isAppError(error) || error.code === "timeout" || error.isForbidden) throw error;
    return { ...base, state: "failed", reason: error.message };
  }
}

/** The fleet may have lost what it took, and somebody may have deleted it: a node says so of these sessions. */
async function changesAmong(ids: readonly string[], options: Sent): Promise<SentChanges> {
  const lacking = new Set<string>();
  const gone = new Map<string, MissingAnswer["gone"][number]>();
  for (let from = 0; from < ids.length; from += ASKED) {
    const about = { project: options.project, sessions: [], bytes: 0 };
    const request = { objects: [], family: about, sent: ids.slice(from, from + ASKED) };
    const answer = await askNode(options, "/api/fleet/missing", request, missingAnswer);
    for (const id of answer.lacking) lacking.add(id);
    for (const one of answer.gone) gone.set(one.id, one);
  }
  return { lacking, gone };
}

type AtMost = <T>(run: () => Promise<T>) => Promise<T>;

/** Runs so many at once; the others wait in their order. */
function atMost(most: number): AtMost {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (run) => {
    if (free > 0) free--;
    else await new Promise<void>((go) => waiting.push(go));
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}

type Top = { readonly id: string; readonly title: string; readonly cwd: string | null };

/** Sessions that stand for themselves, the newest first. Examples of the demo are nobody's. */
function topSessions(archive: Archive, sessions: readonly string[] | null): Top[] {
  const rows = query(
    archive.sqlite,
    { id: "sessions.id", title: "sessions.title", cwd: "sessions.cwd" },
    "SELECT id, title, cwd FROM sessions WHERE parent_pk IS NULL AND earlier IS NULL AND demo = 0 ORDER BY started_at DESC, id",
  ).all();
  const wanted = sessions === null ? null : new Set(sessions);
  return wanted === null ? rows : rows.filter(({ id }) => wanted.has(id));
}

/** Who is in the family of a session, where they ran, and a text that changes when any of them does. */
function familyPrint(archive: Archive, id: string): { ids: string[]; cwds: string[]; text: string } {
  const { sessions } = sessionsOfFamily(archive, findSession(archive, id));
  const find = query(
    archive.sqlite,
    { id: "sessions.id", cwd: "sessions.cwd", version: "sessions.version" },
    "SELECT id, cwd, version FROM sessions WHERE pk = ?",
  );
  const rows = sessions.flatMap((pk) => find.get(pk) ?? []);
  return {
    ids: rows.map((row) => row.id),
    cwds: rows.flatMap(({ cwd }) => (cwd === null ? [] : [cwd])),
    text: hash("sha256", JSON.stringify(rows.map((row) => [row.id, row.version])), "hex").slice(0, PRINT_CHARS),
  };
}

/** In place of the print of what the limits of its project ended, once that was said. */
const printOfEnded = (print: string): string => hash("sha256", `${print} ended`, "hex").slice(0, PRINT_CHARS);

type Attempt = {
  /** No send of the family was cut off. */
  readonly fresh: boolean;
  readonly onBegin: () => void;
};

type Refused = { readonly deleted: { readonly reason: string; readonly isOver: boolean } };

async function sendFamily(
  family: PlannedFamily,
  options: Sent,
  puts: AtMost,
  { fresh, onBegin }: Attempt,
): Promise<Pick<SentResult, "objects" | "bytes" | "sentObjects" | "sentBytes"> | Refused> {
  const objects = [
    ...new Map(
      Object.values(family.entries)
        .flat()
        .map((one) => [one.digest, one]),
    ).values(),
  ];
  const sum = (list: readonly SentObject[]): number => list.reduce((all, { bytes }) => all + bytes, 0);
  const missing: { digest: string; url: string; headers: Record<string, string> }[] = [];
  const unpacked = entriesOf(family.manifest as Manifest).reduce((all, { sizeBytes }) => all + sizeBytes, 0);
  const about = { project: options.project, sessions: family.sessions, bytes: unpacked };
  for (let from = 0; from < objects.length || from === 0; from += ASKED) {
    const request = { objects: objects.slice(from, from + ASKED), fresh, ...(from === 0 && { family: about }) };
    const answer = await askNode(options, "/api/fleet/missing", request, missingAnswer);
    if (answer.deleted !== null) return { deleted: answer.deleted };
    missing.push(...answer.missing);
  }
  const byDigest = new Map(objects.map((one) => [one.digest, one]));
  const sent = missing.map(({ digest }) => byDigest.get(digest)!);
  const counts = { objects: objects.length, bytes: sum(objects), sentObjects: sent.length, sentBytes: sum(sent) };
  if (options.dryRun) return counts;
  if (missing.length > 0) onBegin();
  await Promise.all(missing.map((one) => puts(() => putObject(family, one, options))));
  const request = {
    project: options.project,
    sender: options.sender,
    family: { manifest: family.manifest, entries: family.entries },
  };
  const { state, reason }: CommitAnswer = await askNode(options, "/api/fleet/commits", request, commitAnswer);
  // Deleted a moment ago.
  if (state === "deleted") return { deleted: { reason: reason ?? "It was deleted in the fleet.", isOver: false } };
  if (state === "failed") fail("conflict", `The fleet could not read ${family.id}: ${reason ?? "no reason was given"}`);
  return counts;
}

async function putObject(
  family: PlannedFamily,
  { digest, url, headers }: { digest: string; url: string; headers: Record<string, string> },
  { signal }: SendOptions,
): Promise<void> {
  await again(`The bucket ${new URL(url).host}`, async () => {
    const pieces: Uint8Array[] = [];
    for await (const piece of family.read(digest) as AsyncIterable<Uint8Array>) pieces.push(piece);
    const { status, text } = await sendRequest(url, {
      ...{ method: "PUT", headers, silentMs: SILENT_MS },
      body: pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces),
      ...(signal && { signal }),
    });
    // 412: somebody else has sent the same bytes meanwhile.
    if (isOk(status) || status === 412) return;
    if (status >= 500) throw new Error(`status ${status}`);
    fail(
      "conflict",
      `The bucket refused an object (status ${status}: ${/<Code>(\w+)/.exec(text)?.[1] ?? "no reason"}). Send again; check the clock of this machine.`,
    );
  });
}
