// Which session is meant: its id, its native id, or the beginning of either when only one session begins so.
import { scalar, select } from "#db/statement.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { Connection } from "#db/connection.ts";

/** The row key of a session. Fails with `not_found`, or with `invalid` when a prefix fits several. */
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
  fail("not_found", `No session "${clip(name)}" in this archive. List them: plimsoll sessions`);
}

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
