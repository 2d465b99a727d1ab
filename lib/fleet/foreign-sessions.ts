// What the files of a family hold beside the sessions that its manifest lists. A manifest may keep silent about a session that its
// file names, and a node that imports the file would show it in place of the real one.
import { query } from "#db/statement.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { bundledPath } from "#lib/archive/base/bundle-path.ts";
import { publicSessionId } from "#lib/archive/base/row-keys.ts";
import { plainName } from "#lib/archive/import/artifact-writer.ts";
import { removeSession } from "#lib/archive/sources/remove-session.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { claimSessions, type Family } from "./commits.ts";
import type { Fleet } from "./open-fleet.ts";

/**
 * Makes every session of a family's files, as this archive read them, one of the project; where one is another project's the
 * family leaves the archive again, and it fails with `invalid`.
 */
export async function requireOwn(fleet: Fleet, archive: Archive, project: string, { manifest }: Family): Promise<void> {
  const inFile = query(
    archive.sqlite,
    { id: "sessions.id", name: "sessions.native_id" },
    "SELECT s.id, s.native_id AS name FROM sessions s JOIN sources f ON f.pk = s.source_pk WHERE f.path = ?",
  );
  const listed = new Set(manifest.sessions.map(({ id }) => id));
  const others = manifest.files
    .flatMap(({ path }) => inFile.all(bundledPath(path)))
    // As it would be called where no other file has its name.
    .map(({ id, name }) => ({ id, plain: publicSessionId(plainName(name)) }))
    .filter(({ id, plain }) => !listed.has(id) || !listed.has(plain));
  if (others.length === 0) return;
  const ids = [...new Set(others.map(({ plain }) => plain))];
  try {
    await fleet.ask(() => fleet.sql.begin((tx) => claimSessions(tx, project, ids, "invalid")));
  } catch (error) {
    if (!isAppError(error) || error.code !== "invalid") throw error;
    for (const { id } of others)
      await removeSession(archive, id).catch((failure: unknown) => {
        // It went with the file of another one.
        if (!isAppError(failure) || failure.code !== "not_found") throw failure;
      });
    throw error;
  }
}
