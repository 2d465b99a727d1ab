// A node reads what senders handed in: it fetches the objects of a commit, has them imported by the ordinary formats into its own
// archive, and writes what the archive then says of them to the database.
import { join } from "node:path";
import { dropHeldWrite } from "#lib/archive/artifacts/drop-held.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { write } from "#lib/archive/base/write.ts";
import { removeSession } from "#lib/archive/sources/remove-session.ts";
import { hasSession } from "#lib/archive/exports/catalogue-session.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import type { SentFamily } from "#lib/wire/fleet-schema.ts";
import { claimCommit, familyOf, releaseCommit, renewClaim, type Claim, type Family } from "./commits.ts";
import { applyModels } from "./models/model-list.ts";
import type { FamiliesInUse } from "./families-in-use.ts";
import { withBundle } from "./family-bundle.ts";
import { requireOwn } from "./foreign-sessions.ts";
import type { Fleet } from "./open-fleet.ts";
import { staleSessions } from "./stale-files.ts";
import { writeViews } from "./view-rows.ts";

/** Imports a bundle into this node's archive; in the server its writing thread does. */
export type ImportBundle = (path: string) => Promise<void>;

/** What families are brought into. */
export type Bringer = {
  readonly archive: Archive;
  readonly importBundle: ImportBundle;
  readonly inUse: FamiliesInUse;
};

export type Reader = Bringer & {
  /** Works out what a session could have saved, and its findings, where that is not known of it as it is now. */
  readonly judge: (sessions: readonly string[]) => Promise<void>;
  /** Whether this node writes a session for its agents: its copy is the newest. */
  readonly holds?: (session: string) => boolean;
  /** Notified of sessions that were imported: what is kept beside them has to be brought again. */
  readonly onImported?: (sessions: readonly string[]) => void;
  /** Asked before a family comes in. */
  readonly makeRoom?: (project: string, family: Family) => Promise<void>;
  /** Told of a family that is in the archive now. */
  readonly onFetched?: (project: string, family: Family, commit: string) => void;
};

export const RENEW_MS = 15_000;

/** Where bundles lie while they are imported. */
export const fetchFolder = ({ dir }: Pick<Archive, "dir">): string => join(dir, "fleet");

/** Reads one commit; null where none waits. */
export async function catalogueNext(fleet: Fleet, reader: Reader): Promise<"done" | "superseded" | "failed" | null> {
  const claim = await claimCommit(fleet);
  if (claim === null) return null;
  const timer = setInterval(() => void renewClaim(fleet, claim).catch(() => undefined), RENEW_MS);
  try {
    return await withFamily(fleet, reader, { ...claim, commit: claim.id }, (family, models) =>
      writeViews(fleet, reader.archive, claim, { family, models }),
    );
  } catch (error) {
    await giveBack(fleet, claim, error);
    return "failed";
  } finally {
    clearInterval(timer);
  }
}

type HandedIn = { readonly project: string; readonly commit: string; readonly body: SentFamily };

/** Runs with what a commit handed in, in this node's archive and judged, and by which prices. It stays as it is until that ends. */
export async function withFamily<T>(
  fleet: Fleet,
  reader: Reader,
  { project, commit, body }: HandedIn,
  run: (family: Family, models: string | null) => Promise<T>,
): Promise<T> {
  const family = familyOf(body);
  const ids = family.manifest.sessions.map(({ id }) => id);
  await reader.makeRoom?.(project, family);
  return reader.inUse.use(ids, async () => {
    await bringFamily(fleet, reader, family);
    await requireOwn(fleet, reader.archive, project, family);
    try {
      const here = ids.filter((id) => hasSession(reader.archive, id));
      const models = await applyModels(fleet, reader.archive, here);
      await reader.judge(here);
      return await run(family, models);
    } finally {
      // Not before: until its views are written the fleet lists the commit before, and whoever opens that has not to wait.
      reader.onFetched?.(project, family, commit);
    }
  });
}

/** A family into this node's archive. The copy that is here gives way where it is another: an import would keep it. */
export async function bringFamily(fleet: Fleet, reader: Omit<Reader, "judge">, family: Family): Promise<void> {
  const { archive, importBundle, holds = () => false } = reader;
  for (const { id, file } of family.manifest.sessions)
    if (file === null && !holds(id)) await write(archive, dropHeldWrite, { sessionId: id });
  await withBundle(fleet, archive, family, fetchFolder(archive), async (path) => {
    const take = async (): Promise<void> => {
      await importBundle(path);
      // At once: until it is brought again, nobody may tell the fleet what is beside a session here.
      reader.onImported?.(family.manifest.sessions.map(({ id }) => id));
    };
    await take();
    const stale = (await staleSessions(archive, family)).filter((id) => !holds(id));
    for (const id of stale) await removeSession(archive, id);
    if (stale.length > 0) await take();
  });
}

async function giveBack(fleet: Fleet, claim: Claim, error: unknown): Promise<void> {
  const message = error instanceof Error ? error.message : String(error);
  // What the bytes say is wrong stays wrong; a part that is away comes back.
  const isFinal = isAppError(error) && ["invalid", "unsupported", "too_large"].includes(error.code);
  if (!isAppError(error)) console.error(`The commit ${claim.id} was not read:`, error);
  await releaseCommit(fleet, claim, message, isFinal).catch(() => undefined);
}
