// What a fleet's database is told of a session: its row of the list, its calls by quarter of an hour, model and tools, its
// compactions, its findings, its artifacts, and its text. All of it is read from the tables that the pages of one machine read.
import { query, scalar, select } from "#db/statement.ts";
import type { Rows } from "#db/schema.ts";
import type { ArtifactRow } from "#lib/wire/artifacts-schema.ts";
import type { SessionRow } from "#lib/wire/sessions-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { KeptMark } from "../base/beside-rows.ts";
import { findSession } from "../base/find-session.ts";
import { rowRange } from "../base/row-keys.ts";
import { usageOfSession, type QuarterRow } from "../load/usage-rows.ts";
import { docsOf, piecesOf, type IndexDoc } from "../search/indexed-docs.ts";
import { madeInLog } from "../search/made-in-log.ts";
import { madeRows, type MadeRow } from "../search/made-sessions.ts";
import { artifactRowsOf } from "../sessions/list-artifacts.ts";
import { listRow } from "../sessions/list-sessions.ts";

export type CataloguedText = Omit<IndexDoc, "isSemantic">;

/** All texts of the events `from` up to, and without, `to`. */
export type CataloguedTexts = { readonly from: number; readonly to: number; readonly texts: readonly CataloguedText[] };

export type CataloguedSession = {
  readonly row: SessionRow;
  readonly nativeId: string;
  /** Empty where it has none: the row names it then. */
  readonly title: string;
  readonly peakShare: number | null;
  readonly usd: number | null;
  readonly avoidableUsd: number | null;
  /** As usage by agent names it. */
  readonly agentKey: string;
  readonly branch: string | null;
  /** Dollars that its agent counts itself. */
  readonly reportedUsd: number | null;
  readonly usage: readonly QuarterRow[];
  /** Compactions of its own, by quarter of an hour. */
  readonly cuts: readonly { readonly at: number; readonly cuts: number }[];
  readonly findings: readonly Omit<Rows["session_findings"], "session_pk">[];
  readonly carried: readonly Omit<Rows["session_carried"], "session_pk">[];
  /** Of a person, on the session (0) and on its events. */
  readonly marks: readonly KeptMark[];
  /** Commits and pull requests that it made, as its log says. */
  readonly made: readonly MadeRow[];
  /** As their list shows them. */
  artifacts(): Iterable<readonly ArtifactRow[]>;
  /** Of all events, in their order. */
  texts(): AsyncIterable<CataloguedTexts>;
};

/** Events whose texts are held at once. */
const EVENTS = 500;
/** Artifacts whose rows are. */
const ARTIFACTS = 500;

export async function catalogueSession(archive: Archive, id: string): Promise<CataloguedSession> {
  const { sqlite } = archive;
  const pk = findSession(archive, id);
  const row = select(
    sqlite,
    "sessions",
    ["native_id", "peak_share", "usd", "avoidable_usd", "next_seq", "agent_name", "format", "branch", "title"],
    "WHERE pk = ?",
  ).get(pk)!;
  const cuts = query(
    sqlite,
    { at: "integer", cuts: "integer" },
    `SELECT coalesce(e.ts, s.started_at, 0) / 900000 * 900000 AS at, count(*) AS cuts FROM events e JOIN sessions s ON s.pk = ?
     WHERE e.id BETWEEN ? AND ? AND e.type = 'compaction' AND e.inherited = 0 GROUP BY 1`,
  ).all(pk, ...rowRange(pk));
  const reportedUsd = scalar(
    sqlite,
    "real?",
    "SELECT json_extract(tally, '$.reported.usd') FROM sessions WHERE pk = ?",
  ).get(pk);
  const columns = [
    "n",
    "fingerprint",
    "detector",
    "label",
    "fix",
    "seq",
    "at",
    "tokens",
    "usd",
    "partial",
    "first_at",
    "seen_at",
    "times",
    "saved_from",
    "saved",
  ] as const;
  return {
    row: await listRow(archive, pk),
    nativeId: row.native_id,
    title: row.title,
    peakShare: row.peak_share,
    usd: row.usd,
    avoidableUsd: row.avoidable_usd,
    agentKey: row.agent_name ?? row.format,
    branch: row.branch,
    reportedUsd: reportedUsd ?? null,
    usage: usageOfSession(archive, pk),
    cuts,
    findings: select(sqlite, "session_findings", columns, "WHERE session_pk = ? ORDER BY n").all(pk),
    marks: select(sqlite, "marks", ["seq", "kind", "value"], "WHERE session_pk = ? ORDER BY seq, kind, value").all(pk),
    carried: select(
      sqlite,
      "session_carried",
      ["kind", "name", "tokens", "sent", "usd", "uses", "at"],
      "WHERE session_pk = ?",
    ).all(pk),
    made: madeRows(await madeInLog(archive, pk)),
    *artifacts() {
      const pks = scalar(sqlite, "artifacts.pk", "FROM artifacts WHERE session_pk = ? ORDER BY pk").all(pk);
      for (let from = 0; from < pks.length; from += ARTIFACTS)
        yield artifactRowsOf(archive, pks.slice(from, from + ARTIFACTS));
    },
    async *texts() {
      for (let from = 0; from < row.next_seq;) {
        const { docs, to } = await docsOf(archive, pk, from, Math.min(row.next_seq, from + EVENTS));
        // A row of the index there has a megabyte of words at most: long texts are cut as stored outputs are.
        const texts = docs.flatMap((indexed): CataloguedText[] => {
          const { isSemantic: _, ...doc } = indexed;
          return doc.piece > 0 || doc.text === ""
            ? [doc]
            : piecesOf(doc.text).map((text, n) => ({ ...doc, text, piece: -n }));
        });
        yield { from, to, texts };
        from = to;
      }
    },
  };
}

/** Whether a session is one that lists show: an earlier version of a file stands beside its session alone, and counts for nothing. */
export const isCatalogued = (archive: Archive, id: string): boolean =>
  scalar(archive.sqlite, "sessions.pk", "FROM sessions WHERE id = ? AND earlier IS NULL").get(id) !== undefined;

/** Whether an archive has a session under exactly this id. */
export const hasSession = (archive: Archive, id: string): boolean =>
  scalar(archive.sqlite, "sessions.pk", "FROM sessions WHERE id = ?").get(id) !== undefined;
