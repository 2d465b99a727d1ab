// What the limits of retention would take away: chosen by one SQL text, which the preview counts and the sweep ends.
// Of the content that is over the byte limit the one that was last stored longest ago goes first, with all artifacts that
// name it: as long as one stays, its bytes would stay.
import { columns, command, query, scalar } from "#db/statement.ts";
import type { RetentionPreview, RetentionSettings } from "#lib/wire/retention-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { iso } from "../base/iso.ts";
import { write } from "../base/write.ts";
import { retentionOf, saveRetentionWrite } from "../settings/retention-setting.ts";

export async function readRetention(archive: Archive): Promise<RetentionSettings> {
  return retentionOf(archive);
}

export async function saveRetention(archive: Archive, settings: RetentionSettings): Promise<RetentionSettings> {
  await write(archive, saveRetentionWrite, settings);
  return retentionOf(archive);
}

/** Takes limits of age and bytes away, as of an archive that is a node's cache: what agents stored in it is the fleet's. */
export async function removeLimits(archive: Archive): Promise<void> {
  const settings = retentionOf(archive);
  if (settings.maxAgeDays === null && settings.maxBytes === null) return;
  await saveRetention(archive, { ...settings, maxAgeDays: null, maxBytes: null });
  console.log(
    "This archive is a node’s now, so its own limits of age and bytes are taken away. Limit projects: plimsoll fleet retention.",
  );
}

const DAY_MS = 86_400_000;

// `going`: row keys of what goes. A name that was given protects; a content with a protected artifact stays.
const GOING = `
WITH live AS MATERIALIZED (
  SELECT a.pk, a.digest, a.size, a.created_at,
    @keepNamed = 1 AND EXISTS (SELECT 1 FROM artifact_names n WHERE n.pointer = a.pointer) AS is_safe
  FROM artifacts a WHERE a.deleted_at IS NULL AND (a.expires_at IS NULL OR a.expires_at > @now)
), aged AS MATERIALIZED (
  SELECT pk FROM live WHERE created_at < @before AND is_safe = 0
), contents AS (
  SELECT digest, max(size) AS size, max(created_at) AS newest, max(is_safe) AS is_safe FROM live
  WHERE pk NOT IN (SELECT pk FROM aged) GROUP BY digest
), ranked AS (
  SELECT digest, sum(size) OVER (ORDER BY newest, digest ROWS UNBOUNDED PRECEDING) - size AS freed_before
  FROM contents WHERE is_safe = 0
), going AS MATERIALIZED (
  SELECT pk FROM aged
  UNION
  SELECT pk FROM live WHERE digest IN (
    SELECT digest FROM ranked WHERE (SELECT sum(size) FROM contents) - freed_before > @maxBytes)
)`;

function parameters(archive: Archive, settings: RetentionSettings) {
  const now = archive.host.now();
  return {
    now,
    keepNamed: settings.keepNamed ? 1 : 0,
    // Nothing is older than the beginning of time, nor more than can be counted.
    before: settings.maxAgeDays === null ? Number.MIN_SAFE_INTEGER : now - settings.maxAgeDays * DAY_MS,
    maxBytes: settings.maxBytes ?? Number.MAX_SAFE_INTEGER,
  };
}

/** Row keys of what goes, oldest first. */
export function goingRows(archive: Archive, settings: RetentionSettings): number[] {
  if (settings.maxAgeDays === null && settings.maxBytes === null) return [];
  return scalar(
    archive.sqlite,
    "artifacts.pk",
    `${GOING} SELECT g.pk FROM going g JOIN artifacts a ON a.pk = g.pk ORDER BY a.created_at, a.pk`,
  ).all(parameters(archive, settings));
}

/** Rows that a preview lists of each kind. */
const LISTED = 20;

/** What these settings would take away, were they in force and swept now. */
export async function previewRetention(archive: Archive, settings: RetentionSettings): Promise<RetentionPreview> {
  const { sqlite } = archive;
  const given = parameters(archive, settings);
  // Chosen once: the lists below are of the same rows.
  sqlite.exec("CREATE TEMP TABLE IF NOT EXISTS going_rows (pk INTEGER PRIMARY KEY); DELETE FROM temp.going_rows");
  try {
    command(sqlite, `INSERT INTO temp.going_rows ${GOING} SELECT pk FROM going`).run(given);
    const rows = "FROM temp.going_rows g JOIN artifacts a ON a.pk = g.pk JOIN sessions s ON s.pk = a.session_pk";
    const totals = query(
      sqlite,
      { artifacts: "integer", sessions: "integer", oldest: "integer?", newest: "integer?" },
      `SELECT count(*) AS artifacts, count(DISTINCT a.session_pk) AS sessions, min(a.created_at) AS oldest, max(a.created_at) AS newest ${rows}`,
    ).get()!;
    const bytes = scalar(
      sqlite,
      "integer",
      `SELECT coalesce(sum(size), 0) FROM (SELECT a.digest, max(a.size) AS size ${rows} GROUP BY a.digest) d
         WHERE NOT EXISTS (SELECT 1 FROM artifacts o WHERE o.digest = d.digest AND o.deleted_at IS NULL AND o.pk NOT IN (SELECT pk FROM temp.going_rows))`,
    ).get()!;
    const share = (value: string) =>
      `SELECT ${value}, count(*) AS artifacts, sum(a.size) AS bytes ${rows} GROUP BY 1 ORDER BY bytes DESC LIMIT ${LISTED}`;
    const list = (order: string): RetentionPreview["oldestRows"] =>
      query(
        sqlite,
        {
          ...columns("artifacts", "pointer", "name", "created_at"),
          sessionId: "sessions.id",
          toolName: "artifacts.tool_name",
          sizeBytes: "artifacts.size",
        },
        `SELECT a.pointer, s.id AS sessionId, a.name, a.tool_name AS toolName, a.size AS sizeBytes, a.created_at ${rows} ORDER BY ${order}, a.pk LIMIT ${LISTED}`,
      )
        .all()
        .map(({ created_at: at, ...row }) => ({ ...row, createdAt: iso(at) ?? "" }));
    const sums = { artifacts: "integer", bytes: "integer" } as const;
    return {
      artifacts: totals.artifacts,
      bytes,
      sessions: totals.sessions,
      oldest: iso(totals.oldest),
      newest: iso(totals.newest),
      bySession: query(
        sqlite,
        { value: "sessions.id", title: "sessions.title", ...sums },
        share("s.id AS value, s.title AS title"),
      ).all(),
      byTool: query(sqlite, { value: "text", ...sums }, share("coalesce(a.tool_name, '') AS value")).all(),
      oldestRows: list("a.created_at"),
      largestRows: list("a.size DESC"),
    };
  } finally {
    sqlite.exec("DELETE FROM temp.going_rows");
  }
}
