// Which session is meant: its id, its native id, or the beginning of either when only one session begins so; then its title, or
// `latest`. Commands, endpoints and tools all ask here.
import { scalar, select } from "#db/statement.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { Connection } from "#db/connection.ts";

/** The session that was active last, where no session has this name. */
export const LATEST = "latest";

/** The row key of a session. Fails with `not_found`, or with `invalid` when a prefix or a title fits several. */
export function findSession(archive: Connection, name: string): number {
  const { sqlite } = archive;
  // The first two are found by their indexes: each put of an agent asks, and looking through 10,000 sessions takes 1 ms.
  const exact =
    scalar(sqlite, "sessions.pk", "FROM sessions WHERE id = ?").get(name) ??
    scalar(sqlite, "sessions.pk", "FROM sessions WHERE native_id = ? LIMIT 1").get(name) ??
    scalar(sqlite, "sessions.pk", "FROM sessions WHERE substr(native_id, instr(native_id, ':') + 1) = ? LIMIT 1").get(
      name,
    );
  if (exact !== undefined) return exact;
  const begins = name.length < 3 ? [] : startsWith(archive, name);
  const [first, ...others] = begins;
  // Names of sub-agents and of earlier versions begin with the session's: who gives the beginning of both means the session.
  if (first !== undefined && others.every(({ native_id }) => /^(\/|~earlier)/.test(after(native_id, first.native_id))))
    return first.pk;
  if (begins.length > 1)
    fail(
      "invalid",
      `"${clip(name)}" begins ${begins.length === 20 ? "20 or more" : begins.length} sessions: ${begins
        .slice(0, 3)
        .map((row) => row.id)
        .join(", ")}, … Give more characters of the id.`,
    );
  if (name === LATEST) return latestSession(archive);
  const titled = titledSo(archive, name);
  if (titled.length === 1) return titled[0]!.pk;
  if (titled.length > 1) {
    const more = titled.length > CANDIDATES ? ", …" : "";
    const ids = titled.slice(0, CANDIDATES).map(({ id }) => id);
    fail("invalid", `Several sessions are titled "${clip(name)}": ${ids.join(", ")}${more}. Give an id.`);
  }
  fail("not_found", `No session "${clip(name)}" in this archive. List them: plimsoll sessions`);
}

/** Sessions that an ambiguous name is answered with. */
const CANDIDATES = 5;

/** Of the sessions that the list shows first: neither a sub-agent's nor an earlier version. */
const LISTED = "parent_pk IS NULL AND earlier IS NULL";

function latestSession(archive: Connection): number {
  const pk = scalar(
    archive.sqlite,
    "sessions.pk",
    `FROM sessions WHERE ${LISTED} ORDER BY ended_at IS NULL, ended_at DESC, pk DESC LIMIT 1`,
  ).get();
  return pk ?? fail("not_found", "This archive has no sessions yet. Start plimsoll, or import a folder.");
}

/** Sessions of this title, in whatever case; else those whose title gives this slug: `fix-the-tide-tables`. */
function titledSo(archive: Connection, name: string): { pk: number; id: string }[] {
  if (name.length < 3 || name.length > 400) return [];
  const columns = ["pk", "id", "title"] as const;
  const exact = select(
    archive.sqlite,
    "sessions",
    columns,
    `WHERE ${LISTED} AND title = ? COLLATE NOCASE ORDER BY pk LIMIT ${CANDIDATES + 1}`,
  ).all(name);
  if (exact.length > 0 || name !== slugOf(name)) return exact;
  return select(archive.sqlite, "sessions", columns, `WHERE ${LISTED} ORDER BY pk`)
    .all()
    .filter(({ title }) => slugOf(title) === name)
    .slice(0, CANDIDATES + 1);
}

const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");

/** The row key of an id; undefined when the session is gone. */
export const sessionPk = (archive: Connection, id: string): number | undefined =>
  scalar(archive.sqlite, "sessions.pk", "FROM sessions WHERE id = ?").get(id);

/** The id of a row key; undefined when the session is gone. */
export const sessionIdOf = (archive: Connection, pk: number): string | undefined =>
  scalar(archive.sqlite, "sessions.id", "FROM sessions WHERE pk = ?").get(pk);

/** What follows the beginning of a name; empty when it has another beginning. */
const after = (name: string, beginning: string): string =>
  name.startsWith(beginning) ? name.slice(beginning.length) : "";

/** Sessions whose id, native id, or native id after the format begins so; no pattern character is special. */
function startsWith(archive: Connection, name: string): { pk: number; id: string; native_id: string }[] {
  return select(
    archive.sqlite,
    "sessions",
    ["pk", "id", "native_id"],
    `WHERE substr(id, 1, length(@name)) = @name OR substr(native_id, 1, length(@name)) = @name
         OR substr(native_id, instr(native_id, ':') + 1, length(@name)) = @name ORDER BY length(native_id), native_id LIMIT 20`,
  ).all({ name });
}

const clip = (name: string): string => (name.length > 80 ? `${name.slice(0, 80)}…` : name);
