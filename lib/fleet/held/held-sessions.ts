// The sessions that agents write, as one node has them: it takes a lease before it answers for one, tells the fleet of each write
// before that is committed here, and gives up its copy when another node has taken over. Whom it does not hold it names the holder of.
import { setTimeout } from "node:timers/promises";
import { dropHeldWrite } from "#lib/archive/artifacts/drop-held.ts";
import { entryText, type HeldEntry } from "#lib/archive/base/held-entry.ts";
import { write } from "#lib/archive/base/write.ts";
import { AppError, fail, isAppError } from "#lib/kernel/errors.ts";
import type { Bringer } from "../catalogue.ts";
import type { Fleet } from "../open-fleet.ts";
import { deletedText, tombstonesOf, tombstoneText } from "../retention/tombstones.ts";
import { sees, type Projects } from "../visible-projects.ts";
import { appendedOf, appendLog, giveBackLease, holderOf, noteHeld, renewLeases, takeLease } from "./held-leases.ts";
import type { LogRow, NameRow, Span } from "./held-leases.ts";
import { inTime } from "./in-time.ts";
import { loadHeld } from "./load-held.ts";
import { namesOf } from "./held-names.ts";
import type { NodeAddress } from "./node-list.ts";

/** A lease that is not renewed ends after this (seconds). */
export const LEASE_SECONDS = 30;
/** How long appends are tried again while the database does not answer (milliseconds): other writes of this node wait meanwhile. */
const SHIP_MS = 8000;
const AGAIN_MS = 200;
/** So long the holder of a session is believed to hold it still. */
const BELIEVED_MS = 1000;
const BELIEVED = 1000;
const BEGUN = 1000;

export type Lease = {
  readonly session: string;
  readonly project: string;
  readonly fence: number;
  last: number;
  packed: number;
  commit: string | null;
  /** Of this process's own clock, which nobody sets: before it no other node can have it. */
  validUntil: number;
  usedAt: number;
  /** Since when something is not packed, and how much. */
  liveSince: number;
  liveBytes: number;
  /** Writes under way; while it is packed they wait. */
  busy: number;
  gate: Promise<void> | null;
};

export type HeldLocation =
  | { readonly kind: "here" }
  /** No agent of this fleet writes it, as far as who asks may know. */
  | { readonly kind: "none" }
  | ({ readonly kind: "there"; readonly node: string; readonly leftMs: number } & NodeAddress);

export type HeldSessions = ReturnType<typeof heldSessions>;

type Options = { readonly seconds?: number; readonly onTaken?: (session: string) => void };

export function heldSessions(fleet: Fleet, bringer: Bringer, options: Options = {}) {
  const { archive, inUse } = bringer;
  const { seconds = LEASE_SECONDS } = options;
  const leases = new Map<string, Lease>();
  const taking = new Map<string, Promise<Lease | null>>();
  const believed = new Map<
    string,
    { readonly location: HeldLocation & { kind: "there" }; readonly project: string; readonly until: number }
  >();
  /** Whose the sessions are that begin here, until their first append tells the fleet. */
  const begunBy = new Map<string, string>();
  const now = (): number => performance.now();

  /** This node has it no more, or does not know: the next time it is taken anew, and read from the fleet. */
  function forget(session: string, lease?: Lease): void {
    if (lease !== undefined && leases.get(session) !== lease) return;
    leases.delete(session);
  }

  /** Its copy goes too. One that is taken anew is not this lease's: what the old one is refused does not touch the new copy. */
  function lose(session: string, lease = leases.get(session)): void {
    if (lease === undefined || leases.get(session) !== lease) return;
    forget(session);
    // Not awaited: it waits for the very writes that are refused.
    void write(archive, dropHeldWrite, { sessionId: session }).catch((error: unknown) =>
      console.error(`The copy of session ${session} was not dropped:`, error),
    );
  }

  async function take(session: string): Promise<Lease | null> {
    const askedAt = now();
    const taken = await takeLease(fleet, session, seconds);
    if (taken === null) return null;
    // The one before is over, and its copy is replaced.
    forget(session);
    const lease: Lease = {
      ...{ session, ...taken },
      ...{ validUntil: askedAt + seconds * 1000, usedAt: now(), liveSince: now(), liveBytes: 0, busy: 0, gate: null },
    };
    try {
      // A copy that somebody opens comes in before it, or not at all.
      await inUse.use([session], () => loadHeld(fleet, bringer, session, taken));
    } catch (error) {
      await giveBackLease(fleet, session, taken.fence).catch(() => undefined);
      throw error;
    }
    leases.set(session, lease);
    options.onTaken?.(session);
    return lease;
  }

  function taken(session: string): Promise<Lease | null> {
    const running = taking.get(session) ?? take(session).finally(() => taking.delete(session));
    taking.set(session, running);
    return running;
  }

  const leaseOf = (session: string): Lease | null => {
    const lease = leases.get(session);
    return lease === undefined || now() >= lease.validUntil ? null : lease;
  };

  /** Where a session is; takes it where nobody has it. */
  async function locate(session: string, visible: Projects = "all"): Promise<HeldLocation> {
    const lease = leaseOf(session);
    if (lease !== null) {
      if (!sees(visible, lease.project)) return { kind: "none" };
      lease.usedAt = now();
      return { kind: "here" };
    }
    const known = believed.get(session);
    if (known !== undefined && now() < known.until)
      return sees(visible, known.project) ? known.location : { kind: "none" };
    for (let tries = 0; ; tries++) {
      const holder = await holderOf(fleet, session);
      if (holder === "deleted") {
        const text = await deletedText(fleet, session, visible);
        return text === null ? { kind: "none" } : fail("not_found", text);
      }
      if (holder === null || !sees(visible, holder.project)) return { kind: "none" };
      // Taken meanwhile by who asked a moment before.
      if (leaseOf(session) !== null) return { kind: "here" };
      if (!holder.isLive || holder.node === fleet.node) {
        if ((await taken(session)) !== null) return { kind: "here" };
        // Another node was faster.
        if (tries < 3) continue;
      }
      if (holder.address === null || holder.host === null || holder.node === null)
        return fail("timeout", `Session ${session} is being taken over. Send the request again.`);
      const { address, host, node, leftMs } = holder;
      const there = { kind: "there", address, host, node, leftMs } as const;
      believed.set(session, { location: there, project: holder.project, until: now() + BELIEVED_MS });
      if (believed.size > BELIEVED) believed.delete(believed.keys().next().value!);
      return there;
    }
  }

  /** Begins a session, in a project, where it is not known. `person`: whose it is, where who asks is known. */
  async function begin(session: string, project: string, person?: string | null): Promise<void> {
    if (person !== undefined) begunBy.delete(session);
    if (typeof person === "string") begunBy.set(session, person);
    if (begunBy.size > BEGUN) begunBy.delete(begunBy.keys().next().value!);
    if (leaseOf(session) === null && !believed.has(session)) await noteHeld(fleet, session, project);
  }

  /** Of the writes of one barrier: each session's are appended under its number, or refused. */
  async function ship(entries: readonly HeldEntry[]): Promise<(Error | null)[]> {
    const spans = new Map<string, { lease: Lease; span: Span; bytes: number }>();
    const rows: LogRow[] = [];
    const names: NameRow[] = [];
    for (const { session, ...entry } of entries) {
      const lease = leases.get(session);
      if (lease === undefined) continue;
      const before = spans.get(session)?.span ?? {
        session,
        fence: lease.fence,
        first: lease.last + 1,
        last: lease.last,
      };
      const span = { ...before, last: before.last + 1 };
      const person = span.last === 1 ? begunBy.get(session) : undefined;
      const body = entryText({ ...entry, ...(person !== undefined && { person }) });
      rows.push({
        session,
        seq: span.last,
        kept: entry.kept === null ? null : JSON.stringify({ ...entry.kept, at: entry.at }),
        body,
      });
      names.push(...namesOf(session, entry));
      spans.set(session, { lease, span, bytes: (spans.get(session)?.bytes ?? 0) + body.length });
    }
    const all = [...spans.values()].map(({ span }) => span);
    const refused: string[] = [];
    const askedAt = now();
    let error: Error | null = null;
    let done: ReadonlySet<string> = new Set();
    try {
      if (all.length > 0) done = await append(all, rows, names);
    } catch (failure) {
      error = failure as Error;
    }
    for (const [session, { lease, span, bytes }] of spans)
      if (done.has(session)) {
        if (lease.last === lease.packed) lease.liveSince = now();
        lease.last = span.last;
        lease.liveBytes += bytes;
        lease.validUntil = askedAt + seconds * 1000;
        if (span.first === 1) begunBy.delete(session);
      } else if (error === null) {
        lose(session, lease);
        refused.push(session);
      } else forget(session, lease);
    const deleted = await deletedAmong(refused);
    return entries.map(({ session }) => (done.has(session) ? null : (error ?? deleted.get(session) ?? lost(session))));
  }

  /** Of those that are no longer this node's: what is said of the deleted ones. Who wrote to one may know. */
  async function deletedAmong(sessions: readonly string[]): Promise<ReadonlyMap<string, Error>> {
    const found = await fleet.ask(() => tombstonesOf(fleet.sql, sessions, "all")).catch(() => []);
    return new Map(found.map((one) => [one.session, new AppError("not_found", tombstoneText(one))]));
  }

  /** Tries again while the database is away. What an attempt did whose answer was lost is looked up. */
  async function append(
    spans: readonly Span[],
    rows: readonly LogRow[],
    names: readonly NameRow[],
  ): Promise<ReadonlySet<string>> {
    const end = now() + SHIP_MS;
    let isSent = false;
    for (;;)
      try {
        return await inTime(end, async () => {
          const there = isSent ? await appendedOf(fleet, spans) : new Set<string>();
          isSent = true;
          const rest = spans.filter(({ session }) => !there.has(session));
          const of = ({ session }: { readonly session: string }): boolean => !there.has(session);
          const more =
            rest.length === 0 ? [] : await appendLog(fleet, rest, rows.filter(of), names.filter(of), seconds);
          return new Set([...there, ...more]);
        });
      } catch (error) {
        if (!isAppError(error) || error.code !== "timeout" || now() + AGAIN_MS > end) throw error;
        await setTimeout(AGAIN_MS);
      }
  }

  /** Leases that are used go on; what another node has by now is dropped. */
  async function renew(): Promise<void> {
    const askedAt = now();
    const mine = await renewLeases(fleet, [...leases.keys()], seconds);
    for (const [session, lease] of leases)
      if (mine.get(session) === lease.fence) lease.validUntil = Math.max(lease.validUntil, askedAt + seconds * 1000);
      else if (lease.validUntil < askedAt) lose(session, lease);
  }

  /** `drops`: this archive's copy goes too, all of which the fleet has. */
  async function giveBack(lease: Lease, drops: boolean): Promise<void> {
    const { session, fence } = lease;
    if (drops) lose(session, lease);
    else forget(session, lease);
    await giveBackLease(fleet, session, fence);
  }

  return {
    locate,
    begin,
    ship,
    deletedAmong,
    renew,
    giveBack,
    forget,
    /** It was deleted. */
    async drop(session: string): Promise<void> {
      believed.delete(session);
      await taking.get(session)?.catch(() => undefined);
      lose(session);
    },
    lease: leaseOf,
    /** Its copy here is the newest, or is about to be: nobody else brings one. */
    holds: (session: string): boolean => leases.has(session) || taking.has(session),
    /** What was believed of its holder was wrong. */
    doubt: (session: string) => void believed.delete(session),
    all: (): Lease[] => [...leases.values()],
    seconds,
  };
}

/** To be sent again. */
export const lost = (session: string): AppError =>
  new AppError(
    "conflict",
    `Another node has taken over session ${session}. Nothing was written here; send the request again.`,
    { isPassing: true },
  );
