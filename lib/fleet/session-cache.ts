// A node's archive as a cache of the fleet: a session that is asked for is fetched with its family when it is not here as it was
// last catalogued; families that were opened least recently are taken out when they come to more bytes than allowed. What is open,
// or was a moment ago, stays.
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dropHeldWrite } from "#lib/archive/artifacts/drop-held.ts";
import { write } from "#lib/archive/base/write.ts";
import { hasSession, isCatalogued } from "#lib/archive/exports/catalogue-session.ts";
import { removeSession } from "#lib/archive/sources/remove-session.ts";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import type { SentFamily } from "#lib/wire/fleet-schema.ts";
import type { BesideSessions } from "./beside-sessions.ts";
import { idHere, keyOf, readHeld, type Held } from "./cached-families.ts";
import { bringFamily, fetchFolder, type Reader } from "./catalogue.ts";
import { bytesOf, familyOf, type Family } from "./commits.ts";
import type { Fleet } from "./open-fleet.ts";
import { openRequests } from "./open-requests.ts";
import { deletedText, tombstonesOf } from "./retention/tombstones.ts";
import { inProjects, sees, type Projects } from "./visible-projects.ts";

/** A session is open while a request about it goes on, and for so long after one (milliseconds): a page asks again and again. */
const OPEN_MS = 10_000;
/** So long what the database said of a session holds (milliseconds), and of so many. */
const LOOKED_MS = 2000;
const LOOKED = 1000;
/** Deletions of the last minutes are asked for; after so long without an answer all that is here is looked at (milliseconds). */
const CHECKED_MS = 5 * 60_000;

export type Opened = {
  readonly id: string;
  /** Null for what is in no project. */
  readonly project: string | null;
  readonly isFetched: boolean;
};

type Located = { readonly id: string; readonly project: string; readonly family: string; readonly commit: string };

export type SessionCache = {
  /**
   * Brings a session here, by its id or native id. Fails where it is not in these projects. What no project has is left to the
   * node's own archive, for who sees all projects.
   */
  ensure(name: string, visible: Projects): Promise<Opened>;
  /** A request about this session goes on until the function is called. */
  keepOpen(id: string): () => void;
  /** A family came in by being catalogued: nobody has opened it. */
  note(project: string, family: Family, commit: string): void;
  /** Takes out what would be over the bound with this family. What is open stays. */
  makeRoom(project: string, family: Family): Promise<void>;
  /** Takes out what is over the bound; how many bytes stay. */
  evict(): Promise<number>;
  /** Takes out these sessions: they are deleted. */
  drop(sessions: readonly string[]): Promise<void>;
  /** Takes out what was deleted in the fleet since it was last looked at, or while this node was away; those sessions. */
  dropDeleted(): Promise<string[]>;
  bytes(): number;
};

export function sessionCache(
  fleet: Fleet,
  reader: Omit<Reader, "judge">,
  maxBytes: number,
  beside: BesideSessions,
  now: () => number = Date.now,
): SessionCache {
  const { sql, ask } = fleet;
  const { archive, inUse, holds = () => false } = reader;
  const file = join(fetchFolder(archive), "cache.json");
  const families = new Map(readHeld(file).map((one) => [keyOf(one.project, one.family), one]));
  /** Families that came since it was looked which are deleted. */
  let unchecked = new Set(families.keys());
  let checkedAt = Number.NEGATIVE_INFINITY;
  const running = new Map<string, Promise<boolean>>();
  /** A page asks for a session a dozen times: the database is asked once in a while. */
  const looked = new Map<string, { readonly id: string; readonly project: string | null; readonly at: number }>();
  let saving: Promise<void> = Promise.resolve();
  const requests = openRequests((id) => {
    for (const one of families.values()) if (one.sessions.includes(id)) one.openedAt = now();
  });
  const total = (): number => [...families.values()].reduce((sum, { bytes }) => sum + bytes, 0);

  const save = (): void => {
    saving = saving
      .then(async () => {
        await mkdir(fetchFolder(archive), { recursive: true, mode: 0o700 });
        await writeFile(`${file}.tmp`, JSON.stringify([...families.values()]), { mode: 0o600 });
        await rename(`${file}.tmp`, file);
      })
      .catch(() => undefined);
  };

  /** One that is open stays so when it is catalogued again. */
  function note(project: string, { manifest }: Family, commit: string, openedAt = 0): void {
    const key = keyOf(project, manifest.session);
    unchecked.add(key);
    families.set(key, {
      ...{ project, family: manifest.session, commit, openedAt: Math.max(openedAt, families.get(key)?.openedAt ?? 0) },
      sessions: manifest.sessions.map(({ id }) => id),
      bytes: bytesOf(manifest),
    });
    save();
  }

  /** What the database says of a name; null where these projects have no such session. */
  async function locate(name: string, visible: Projects): Promise<Located | null> {
    const [at] = await ask(
      () => sql<Located[]>`
        SELECT s.id, s.project, s.family, f.commit_id AS commit FROM sessions s JOIN families f ON f.project = s.project AND f.id = s.family
        WHERE (s.id = ${name} OR s.native_id = ${name}) AND ${inProjects(fleet, visible, "s.project")}
        ORDER BY f.received_at DESC LIMIT 1`,
    );
    return at === undefined ? locateVersion(name, visible) : { ...at };
  }

  /** An earlier version of a file is in no list: who opens one has come from its session, which is here then. */
  async function locateVersion(name: string, visible: Projects): Promise<Located | null> {
    const here = locateHere(name, visible);
    if (here === null || isCatalogued(archive, name)) return null;
    const [at] = await ask(
      () => sql<{ commit: string }[]>`SELECT commit_id AS commit FROM families
        WHERE project = ${here.project} AND id = ${here.family}`,
    );
    return at === undefined ? null : { ...here, ...at };
  }

  /** The same of what is here, for when the database is away. */
  function locateHere(name: string, visible: Projects): Located | null {
    const one = [...families.values()].find(
      ({ project, sessions }) => sees(visible, project) && sessions.includes(name) && hasSession(archive, name),
    );
    return one === undefined ? null : { id: name, project: one.project, family: one.family, commit: one.commit };
  }

  /** Whether it is here in this state, and opened by that. */
  function isHere({ project, family, id }: Located, commit: string): boolean {
    const known = families.get(keyOf(project, family));
    if (known?.commit !== commit || !hasSession(archive, id)) return false;
    known.openedAt = now();
    save();
    return true;
  }

  /** Whether it had to be fetched. */
  async function fetchSession(at: Located): Promise<boolean> {
    // What agents write here is newer here than what is packed of it.
    if (holds(at.id) || isHere(at, at.commit)) return false;
    const listed = await ask(
      () => sql<{ id: string }[]>`SELECT id FROM sessions WHERE project = ${at.project} AND family = ${at.family}`,
    );
    return inUse.use([...new Set([at.id, ...listed.map(({ id }) => id)])], async () => {
      const [row] = await ask(
        () => sql<{ commit: string; body: SentFamily }[]>`SELECT commit_id AS commit, body FROM families
          WHERE project = ${at.project} AND id = ${at.family}`,
      );
      // This node may have read it meanwhile.
      if (row === undefined || isHere(at, row.commit)) return false;
      const family = familyOf(row.body);
      await makeRoom(at.project, family);
      await bringFamily(fleet, { ...reader, onImported: beside.forget }, family);
      note(at.project, family, row.commit, now());
      return true;
    });
  }

  function fetchOnce(at: Located): Promise<boolean> {
    // By family: two of its sessions that are opened at once are one fetch.
    const key = `${keyOf(at.project, at.family)} ${at.commit}`;
    const fetching = running.get(key) ?? fetchSession(at).finally(() => running.delete(key));
    running.set(key, fetching);
    return fetching;
  }

  /** An earlier state of the same family gives its bytes back, and stays: it is read on from there. */
  async function makeRoom(project: string, { manifest }: Family): Promise<void> {
    const key = keyOf(project, manifest.session);
    await evict(bytesOf(manifest) - (families.get(key)?.bytes ?? 0), key);
  }

  async function evict(room = 0, kept: string | null = null): Promise<number> {
    if (total() + room <= maxBytes) return total();
    for (const one of [...families.values()].toSorted((a, b) => a.openedAt - b.openedAt)) {
      if (total() + room <= maxBytes) break;
      const isNeeded = (id: string): boolean => holds(id) || inUse.isUsed(id) || requests.isOpen(id);
      const key = keyOf(one.project, one.family);
      // Somebody may have opened it, or read it anew, while the ones before went.
      const isOpen = families.get(key) !== one || now() - one.openedAt <= OPEN_MS;
      if (key === kept || isOpen || one.sessions.some(isNeeded)) continue;
      await inUse.use(one.sessions, () => takeOut(one));
    }
    return total();
  }

  async function takeOut(one: Held): Promise<void> {
    const key = keyOf(one.project, one.family);
    // At once: whoever opens it now waits until it is out, and fetches it.
    families.delete(key);
    await removeAll(one.sessions).catch((error: unknown) => {
      families.set(key, one);
      throw error;
    });
    save();
  }

  async function removeAll(sessions: readonly string[]): Promise<void> {
    beside.forget(sessions);
    for (const session of sessions)
      await removeSession(archive, session).catch((error: unknown) => {
        // A sub-agent goes with the file of its parent.
        if (!isAppError(error) || error.code === "timeout") throw error;
        // One that agents write has no file.
        if (error.code === "conflict") return write(archive, dropHeldWrite, { sessionId: session });
      });
  }

  async function drop(sessions: readonly string[]): Promise<void> {
    const gone = new Set(sessions);
    for (const [name, { id }] of looked) if (gone.has(id)) looked.delete(name);
    // Of a family that another sender sent with the same records the rest stays.
    for (const one of [...families.values()])
      if (one.sessions.every((id) => gone.has(id))) await inUse.use(one.sessions, () => takeOut(one));
    const rest = sessions.filter((id) => hasSession(archive, id));
    await inUse.use(rest, () => removeAll(rest));
  }

  async function dropDeleted(): Promise<string[]> {
    const startedAt = now();
    // It was paused, or the database was away: what is older than the question asks for may be new here.
    const keys = startedAt - checkedAt > CHECKED_MS ? new Set(families.keys()) : unchecked;
    unchecked = new Set();
    const fresh = [...keys].flatMap((key) => families.get(key)?.sessions ?? []);
    try {
      const old = await ask(() => tombstonesOf(sql, fresh, "all"));
      // A deletion may be committed some time after it began.
      const recent = await ask(
        () => sql<
          { session: string }[]
        >`SELECT s.session FROM deleted_families f JOIN deleted_sessions s USING (project, family)
          WHERE f.deleted_at > now() - interval '10 minutes'`,
      );
      // One that ran out and goes on has its tombstone until its views are written: it is looked at again after that.
      for (const [key, { sessions }] of families) if (sessions.some(inUse.isUsed)) unchecked.add(key);
      const all = [...old, ...recent].map(({ session }) => session);
      const here = all.filter((id) => hasSession(archive, id) && !inUse.isUsed(id));
      await drop(here);
      checkedAt = startedAt;
      return here;
    } catch (error) {
      for (const key of keys) unchecked.add(key);
      throw error;
    }
  }

  /** Fails where the session of a name was deleted, as far as who asks may know of it; what is here of it goes. */
  async function refuseDeleted(name: string, visible: Projects): Promise<void> {
    const id = idHere(archive, name);
    const text = await deletedText(fleet, id, visible);
    if (text === null) return;
    if (!holds(id)) await drop([id]);
    fail("not_found", text);
  }

  return {
    async ensure(name, visible) {
      const last = looked.get(name);
      const isFresh = last !== undefined && now() - last.at < LOOKED_MS && hasSession(archive, last.id);
      if (isFresh && (last.project === null || beside.isBrought(last.id)))
        if (last.project === null ? visible === "all" : sees(visible, last.project))
          return { id: last.id, project: last.project, isFetched: false };
      const isOwn = visible === "all" && hasSession(archive, name);
      let at: Located | null;
      let isFetched = false;
      try {
        at = await locate(name, visible);
        if (at === null) await refuseDeleted(name, visible);
        else isFetched = await fetchOnce(at);
        if (at !== null && !holds(at.id)) await beside.bring(at.project, at.id);
      } catch (error) {
        // What is here opens, also while a part of the fleet is away.
        if (!isAppError(error) || error.code !== "timeout") throw error;
        at = locateHere(name, visible);
        if (at === null && !isOwn) throw error;
      }
      // What is no session of the fleet may be one of the node's own.
      if (at === null && visible !== "all")
        return fail("not_found", `No session "${name.slice(0, 80)}" in your projects. List them: GET /api/sessions`);
      const found = { id: at?.id ?? name, project: at?.project ?? null };
      looked.delete(name);
      looked.set(name, { ...found, at: now() });
      if (looked.size > LOOKED) looked.delete(looked.keys().next().value!);
      return { ...found, isFetched };
    },
    keepOpen: requests.begin,
    note,
    makeRoom,
    evict: () => evict(),
    drop,
    dropDeleted,
    bytes: total,
  };
}
