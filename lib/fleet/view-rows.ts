// What a node writes to the database of a family that it read: all of it in one transaction, in place of what an earlier commit
// of the family said, and only while its claim counts. A commit that was handed in earlier than what is there changes nothing.
import { hash } from "node:crypto";
import type { FleetTransaction } from "#db/fleet/fleet-sql.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import type { ArtifactRow } from "#lib/wire/artifacts-schema.ts";
import { catalogueSession, isCatalogued, type CataloguedSession } from "#lib/archive/exports/catalogue-session.ts";
import { writeMarks } from "./beside-sessions.ts";
import { clean, finishCommit, jsonOf, objectsOf, requireClaim, type Claim, type Family } from "./commits.ts";
import { deleteObjectNames, insertObjectNames } from "./object-names.ts";
import type { Fleet } from "./open-fleet.ts";
import { viewsBy } from "./models/model-list.ts";
import { liftTombstones, lockAgainstDeletion, tombstoneAgainst, tombstonesOf } from "./retention/tombstones.ts";
import { writeTexts } from "./session-texts.ts";

/** Rows of one INSERT: PostgreSQL takes 65,535 values. */
const ROWS = 500;

/** A family as an archive has it, and by which windows and prices: what `applyModels` resolved with. */
export type ReadFamily = { readonly family: Family; readonly models: string | null };

export async function writeViews(
  fleet: Fleet,
  archive: Archive,
  claim: Claim,
  { family, models }: ReadFamily,
  also: (tx: FleetTransaction) => Promise<void> = () => Promise.resolve(),
): Promise<"done" | "superseded"> {
  const { project } = claim;
  const id = family.manifest.session;
  return fleet.ask(() =>
    fleet.sql.begin(async (tx) => {
      await lockAgainstDeletion(tx, project);
      const views = await viewsBy(tx, models);
      await requireClaim(tx, claim);
      await lockFamily(tx, project, id);
      const sessions = family.manifest.sessions.map((one) => one.id);
      const reason = await reasonToLeave(tx, claim, id, sessions);
      if (reason !== null) {
        await finishCommit(tx, claim, "superseded", reason);
        return "superseded";
      }
      await tx`INSERT INTO families (project, id, commit_id, sender, person, received_at, bytes, body, views, views_commit)
        SELECT project, ${id}, id, sender, person, received_at, bytes, body, ${views}::integer, id FROM commits WHERE project = ${project} AND id = ${claim.id}
        ON CONFLICT (project, id) DO UPDATE SET commit_id = excluded.commit_id, sender = excluded.sender, person = excluded.person,
          received_at = excluded.received_at, bytes = excluded.bytes, body = excluded.body, views = excluded.views,
          views_commit = excluded.views_commit, views_attempt = 0, views_until = NULL, views_reason = NULL`;
      await liftTombstones(tx, project, sessions);
      await insertObjectNames(tx, { project, family: id }, objectsOf(family));
      await replaceViews(tx, archive, { project, family: id, sessions });
      await finishCommit(tx, claim, "done", null);
      await also(tx);
      return "done";
    }),
  );
}

/** Two nodes may read one family at once: until the transaction ends one of them writes. */
export async function lockFamily(tx: FleetTransaction, project: string, id: string): Promise<void> {
  await tx`SELECT pg_advisory_xact_lock(${lockOf(project, id)}::bigint)`;
}

type FamilyViews = { readonly project: string; readonly family: string; readonly sessions: readonly string[] };

/** The views of a family as this archive has its sessions, in place of those that are there. */
export async function replaceViews(
  tx: FleetTransaction,
  archive: Archive,
  { project, family, sessions }: FamilyViews,
): Promise<void> {
  // One that was deleted with another family may stand in the objects of this one.
  const deleted = new Set((await tombstonesOf(tx, sessions, [project])).map(({ session }) => session));
  const here = sessions.filter((one) => !deleted.has(one) && isCatalogued(archive, one));
  const before = await tx<{ id: string; family: string }[]>`SELECT id, family FROM sessions
    WHERE project = ${project} AND (family = ${family} OR id = ANY(${here}))`;
  const gone = new Set(before.map(({ id }) => id)).difference(new Set(here));
  await clearSessions(tx, project, [...gone]);
  await clearSessions(tx, project, here, WRITTEN_ANEW);
  for (const one of here) await writeSession(tx, project, family, await catalogueSession(archive, one));
  // A family that all sessions have left for this one is named by nothing any more.
  const others = [...new Set(before.map((row) => row.family))].filter((one) => one !== family);
  const left = await tx<{ id: string }[]>`DELETE FROM families f WHERE f.project = ${project} AND f.id = ANY(${others})
    AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.project = f.project AND s.family = f.id) RETURNING id`;
  await deleteObjectNames(
    tx,
    project,
    left.map(({ id }) => id),
  );
}

/** Why what is there stays; null where the commit takes its place. */
async function reasonToLeave(
  tx: FleetTransaction,
  { project, id }: Claim,
  family: string,
  sessions: readonly string[],
): Promise<string | null> {
  const [commit] = await tx<{ bytes: number }[]>`SELECT bytes FROM commits WHERE project = ${project} AND id = ${id}`;
  const tombstone = await tombstoneAgainst(tx, project, sessions, commit!.bytes);
  if (tombstone !== null) return `Session ${tombstone.session} was deleted.`;
  const [there] = await tx<{ later: boolean; longer: boolean }[]>`
    SELECT f.received_at > c.received_at AS later, f.sender <> c.sender AND f.bytes > c.bytes AS longer
    FROM families f JOIN commits c ON c.project = f.project AND c.id = ${id} WHERE f.project = ${project} AND f.id = ${family}`;
  if (there?.later === true) return "A later commit of the same session was read before.";
  return there?.longer === true ? "Another sender has sent more of the same session." : null;
}

/** Views of a session that do not go with its row by themselves, as its artifacts do. */
export const VIEW_TABLES = [
  "session_usage",
  "session_cuts",
  "session_findings",
  "session_carried",
  "session_texts",
  "session_marks",
] as const;

/** Texts stay as long as they are the same. */
const WRITTEN_ANEW = VIEW_TABLES.filter((table) => table !== "session_texts");

/** A family may have thousands of sub-agents: a statement for each table, and not for each session. */
export async function clearSessions(
  tx: FleetTransaction,
  project: string,
  sessions: readonly string[],
  tables: readonly (typeof VIEW_TABLES)[number][] = VIEW_TABLES,
): Promise<void> {
  const ids = [...sessions];
  await tx`DELETE FROM sessions WHERE project = ${project} AND id = ANY(${ids})`;
  for (const table of tables) await tx`DELETE FROM ${tx(table)} WHERE project = ${project} AND session = ANY(${ids})`;
}

async function writeSession(
  tx: FleetTransaction,
  project: string,
  family: string,
  one: CataloguedSession,
): Promise<void> {
  const { row } = one;
  const session = row.id;
  const key = { project, session };
  const textsPrint = await writeTexts(tx, key, one.texts());
  const ms = (at: string | null): number | null => (at === null ? null : Date.parse(at));
  await insertAll(tx, "sessions", [
    {
      ...{ project, id: session, family, native_id: one.nativeId, parent: row.parentId },
      ...{
        format: row.format,
        agent: row.agent,
        model: row.model,
        title: one.title,
        cwd: row.cwd,
        state: row.state,
      },
      ...{ started_at: ms(row.startedAt), ended_at: ms(row.endedAt), turns: row.turns, calls: row.calls },
      ...{ compactions: row.compactions, artifacts: row.artifacts, peak_share: one.peakShare, usd: one.usd },
      ...{
        agent_key: one.agentKey,
        branch: one.branch,
        reported_usd: one.reportedUsd,
        judged: row.avoidable !== null,
      },
      ...{ avoidable_usd: one.avoidableUsd, ...ownSums(one), texts_print: textsPrint, row: tx.json(jsonOf(row)) },
    },
  ]);
  const usage = one.usage.map((quarter) => {
    const { day: _, model, tools, unsure, ...sums } = quarter;
    return { ...key, ...sums, model: model ?? "", tools: tools ?? "", unsure: unsure === 1 };
  });
  await insertAll(tx, "session_usage", usage);
  await insertAll(
    tx,
    "session_cuts",
    one.cuts.map((cut) => ({ ...key, ...cut })),
  );
  await insertAll(
    tx,
    "session_findings",
    one.findings.map(({ partial, saved, ...finding }) => ({
      ...key,
      ...finding,
      partial: partial === 1,
      saved: saved === null ? null : tx.json(jsonOf(JSON.parse(saved))),
    })),
  );
  await insertAll(
    tx,
    "session_carried",
    one.carried.map((part) => ({ ...key, ...part })),
  );
  await writeMarks(tx, project, session, one.marks);
  await insertAll(
    tx,
    "session_made",
    one.made.map((made) => ({ ...key, ...made })),
  );
  for (const rows of one.artifacts())
    await insertAll(
      tx,
      "session_artifacts",
      rows.map((artifact) => artifactColumns(tx, key, artifact)),
    );
}

const artifactColumns = (
  tx: FleetTransaction,
  key: { readonly project: string; readonly session: string },
  artifact: ArtifactRow,
) => ({
  ...{ ...key, pointer: artifact.pointer, seq: artifact.seq, digest: artifact.digest, name: artifact.name },
  ...{ tool: artifact.toolName, type: artifact.contentType, origin: artifact.origin },
  ...{ size: artifact.sizeBytes, created_at: Date.parse(artifact.createdAt) },
  expires_at: artifact.expiresAt === null ? null : Date.parse(artifact.expiresAt),
  gone: artifact.deletedAt === null ? null : artifact.state,
  ...{ tokens: artifact.load?.tokens ?? null, calls: artifact.load?.calls ?? null, usd: artifact.load?.usd ?? null },
  row: tx.json(jsonOf(artifact)),
});

/** What its own calls come to, as the list of one machine sums them. */
function ownSums({ usage }: CataloguedSession): {
  own_calls: number;
  own_tokens: number;
  own_usd: number | null;
  own_unsure: boolean;
} {
  const priced = usage.flatMap(({ usd }) => (usd === null ? [] : [usd]));
  return {
    own_calls: usage.reduce((sum, { calls }) => sum + calls, 0),
    own_tokens: usage.reduce((sum, { input, read, written }) => sum + input + read + written, 0),
    own_usd: priced.length === 0 ? null : priced.reduce((sum, usd) => sum + usd, 0),
    own_unsure: usage.some(({ unsure }) => unsure === 1),
  };
}

type Value = string | number | boolean | null | ReturnType<FleetTransaction["json"]>;

type NewRow = Readonly<Record<string, Value>>;

/** Any text of a file may have what the database has not. */
const cleaned = (row: NewRow): NewRow =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === "string" ? clean(value) : value]),
  );

async function insertAll(tx: FleetTransaction, table: string, rows: readonly NewRow[]): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS)
    await tx`INSERT INTO ${tx(table)} ${tx(rows.slice(from, from + ROWS).map(cleaned))}`;
}

/** The lock of a family: 63 bits of its digest. */
const lockOf = (project: string, id: string): string =>
  String(hash("sha256", `${project} ${id}`, "buffer").readBigInt64BE() >> 1n);
