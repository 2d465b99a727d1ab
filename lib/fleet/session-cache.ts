// A node's archive as a cache of the fleet: a session that is asked for is fetched with its family when it is not here as it was
// last catalogued; families that were opened least recently are taken out when they come to more bytes than allowed. What is open,
// or was a moment ago, stays.
import { existsSync, readFileSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { entriesOf } from "#lib/archive/bundle/bundle-manifest.ts";
import { hasSession } from "#lib/archive/exports/catalogue-session.ts";
import { removeSession } from "#lib/archive/sources/remove-session.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import type { SentFamily } from "#lib/wire/fleet-schema.ts";
import { fetchFolder, type ImportBundle } from "./catalogue.ts";
import { familyOf, type Family } from "./commits.ts";
import { withBundle } from "./family-bundle.ts";
import type { Fleet } from "./open-fleet.ts";
import { inProjects, type Projects } from "./visible-projects.ts";

/** A session that was asked for so lately is open. */
const OPEN_MS = 5 * 60_000;
/** So long what the database said of a session holds (milliseconds), and of so many. */
const LOOKED_MS = 2000;
const LOOKED = 1000;

const held = z.object({
  project: z.string(),
  family: z.string(),
  commit: z.string(),
  sessions: z.array(z.string()),
  bytes: z.number(),
  openedAt: z.number(),
});
type Held = z.infer<typeof held>;

export type SessionCache = {
  /** Brings a session here, where the fleet has it; whether it had to be fetched. What is not of the fleet is left to who asks next. */
  ensure(session: string, visible: Projects): Promise<boolean>;
  /** A family came in by being catalogued: nobody has opened it. */
  note(project: string, family: Family, commit: string): void;
  /** Takes out what is over the bound; how many bytes stay. */
  evict(): Promise<number>;
  bytes(): number;
};

export function sessionCache(
  fleet: Fleet,
  archive: Archive,
  importBundle: ImportBundle,
  maxBytes: number,
  now: () => number = Date.now,
): SessionCache {
  const file = join(fetchFolder(archive), "cache.json");
  const families = new Map(readHeld(file).map((one) => [keyOf(one.project, one.family), one]));
  const running = new Map<string, Promise<boolean>>();
  /** A page asks for a session a dozen times: the database is asked once in a while. */
  const looked = new Map<string, number>();
  let saving: Promise<void> = Promise.resolve();

  const save = (): void => {
    saving = saving
      .then(async () => {
        await mkdir(fetchFolder(archive), { recursive: true, mode: 0o700 });
        await writeFile(`${file}.tmp`, JSON.stringify([...families.values()]), { mode: 0o600 });
        await rename(`${file}.tmp`, file);
      })
      .catch(() => undefined);
  };

  function note(project: string, { manifest }: Family, commit: string, openedAt: number): void {
    families.set(keyOf(project, manifest.session), {
      ...{ project, family: manifest.session, commit, openedAt },
      sessions: manifest.sessions.map(({ id }) => id),
      bytes: entriesOf(manifest).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    });
    save();
  }

  async function fetchSession(session: string, visible: Projects): Promise<boolean> {
    const { sql } = fleet;
    const [at] = await fleet.ask(
      () => sql<{ project: string; family: string; commit: string }[]>`
        SELECT s.project, s.family, f.commit_id AS commit FROM sessions s JOIN families f ON f.project = s.project AND f.id = s.family
        WHERE s.id = ${session} AND ${inProjects(fleet, visible, "s.project")} ORDER BY f.received_at DESC LIMIT 1`,
    );
    if (at === undefined) return false;
    const known = families.get(keyOf(at.project, at.family));
    if (known?.commit === at.commit && hasSession(archive, session)) {
      known.openedAt = now();
      save();
      return false;
    }
    const [row] = await fleet.ask(
      () => sql<{ body: SentFamily }[]>`SELECT body FROM families WHERE project = ${at.project} AND id = ${at.family}`,
    );
    if (row === undefined) return false;
    const family = familyOf(row.body);
    await withBundle(fleet, family, fetchFolder(archive), importBundle);
    note(at.project, family, at.commit, now());
    await evict();
    return true;
  }

  async function evict(): Promise<number> {
    const total = (): number => [...families.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    const due = [...families.values()]
      .filter(({ openedAt }) => now() - openedAt > OPEN_MS)
      .toSorted((a, b) => a.openedAt - b.openedAt);
    for (const one of due) {
      if (total() <= maxBytes) break;
      for (const session of one.sessions)
        await removeSession(archive, session).catch((error: unknown) => {
          // A sub-agent goes with the file of its parent.
          if (!isAppError(error) || error.code !== "not_found") throw error;
        });
      families.delete(keyOf(one.project, one.family));
      save();
    }
    return total();
  }

  return {
    async ensure(session, visible) {
      if (now() - (looked.get(session) ?? 0) < LOOKED_MS && hasSession(archive, session)) return false;
      const fetching = running.get(session) ?? fetchSession(session, visible).finally(() => running.delete(session));
      running.set(session, fetching);
      try {
        const isFetched = await fetching;
        looked.set(session, now());
        if (looked.size > LOOKED) looked.delete(looked.keys().next().value!);
        return isFetched;
      } catch (error) {
        // What is here opens, also while a part of the fleet is away.
        if (!isAppError(error) || error.code !== "timeout" || !hasSession(archive, session)) throw error;
        return false;
      }
    },
    note: (project, family, commit) => note(project, family, commit, 0),
    evict,
    bytes: () => [...families.values()].reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

const keyOf = (project: string, family: string): string => `${project}/${family}`;

function readHeld(file: string): Held[] {
  if (!existsSync(file)) return [];
  const read = z.array(held).safeParse(JSON.parse(readFileSync(file, "utf8")));
  return read.success ? read.data : [];
}
