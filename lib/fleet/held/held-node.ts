// A node's work on the sessions that agents write: bytes go to the bucket before their write, leases are renewed while they are
// used, logs are packed by and by, and what nobody uses is given back.
import { setTimeout } from "node:timers/promises";
import { blobOf, type HeldEntry, type Ship } from "#lib/archive/base/held-entry.ts";
import { localWriter } from "#lib/archive/base/write.ts";
import { writeNamed } from "#lib/archive/writes.ts";
import { blobName } from "#lib/blobs/s3.ts";
import { scalar } from "#db/statement.ts";
import { AppError, fail, isAppError } from "#lib/kernel/errors.ts";
import type { Bringer } from "../catalogue.ts";
import type { Fleet } from "../open-fleet.ts";
import { missingOf, noteStored } from "../stored-objects.ts";
import { heldSessions, LEASE_SECONDS, lost, type HeldSessions, type Lease } from "./held-sessions.ts";
import { sessionOfName } from "./held-leases.ts";
import { forgetNode, nodeSecret, noteNode, passFor, readPass, type NodeAddress } from "./node-list.ts";
import { enterPack, takePack } from "./pack-held.ts";

export type HeldOptions = {
  readonly seconds?: number;
  /** The project of a session that a request without one begins. */
  readonly project?: string;
  /** A log is packed when it was not written to for so long, or when so much came since (milliseconds, bytes). */
  readonly idleMs?: number;
  readonly oldMs?: number;
  readonly liveBytes?: number;
  /** A session that nobody used for so long is given back. */
  readonly leaveMs?: number;
};

export type HeldNode = Pick<HeldSessions, "locate" | "begin" | "doubt" | "lease" | "holds"> & {
  readonly project: string;
  readonly seconds: number;
  /** Gives up its copy of a session: it was deleted. */
  drop(session: string): Promise<void>;
  sessionOfName(name: string): Promise<string | null>;
  /** Says to another node who asks. */
  passFor(who: object): Promise<string>;
  /** Who asks, as another node says; null for what no node said. It knows the secret by then. */
  readPass(token: string): object | null;
  /** Null where it is known. */
  knowSecret(): Promise<void> | null;
  /** Tells the other nodes where this one is, and works until it is closed. */
  run(address: NodeAddress): Promise<void>;
  /** One round of that work. */
  tend(): Promise<void>;
  close(): Promise<void>;
};

const UPLOADED = 5000;
const UPLOADED_MS = 10 * 60_000;

export function heldNode(fleet: Fleet, bringer: Bringer, shipBeside: Ship, options: HeldOptions = {}): HeldNode {
  const { archive } = bringer;
  const { seconds = LEASE_SECONDS, project = "default", idleMs = 5000, oldMs = 60_000 } = options;
  const { liveBytes = 8_000_000, leaveMs = 5 * 60_000 } = options;
  const held = heldSessions(fleet, bringer, { seconds });
  const stop = new AbortController();
  let loops: Promise<unknown> = Promise.resolve();
  let at: NodeAddress | null = null;
  let secret: string | null = null;
  /** Digests, and when their bytes were seen in the bucket. */
  const uploaded = new Map<string, number>();

  const inner = archive.writer ?? localWriter(archive);
  archive.ship = ship;
  archive.writer = {
    ...inner,
    async run(what, input, kept) {
      const found = await leaseFor(what.name, input as object);
      if (found === null) return inner.run(what, input, kept);
      await upload(input as object);
      // The session may be taken anew meanwhile: the write is of the lease that it has now.
      const current = (): Lease => held.lease(found.session) ?? found;
      let lease = current();
      for (; lease.gate !== null; lease = current()) await lease.gate;
      lease.busy++;
      try {
        return await inner.run(what, input, kept);
      } catch (error) {
        // What its own rules refuse was told to nobody; of all else it is not known whether the others were told.
        if (!isAppError(error)) held.forget(lease.session, lease);
        // Its copy was dropped while its bytes were sent: the session is there, at another node.
        else if (error.code === "not_found" && held.lease(lease.session) !== lease)
          throw (await held.deletedAmong([lease.session])).get(lease.session) ?? lost(lease.session);
        throw error;
      } finally {
        lease.busy--;
      }
    },
  };

  /** Of the sessions that agents write, and of what people keep beside those that were sent. */
  async function ship(entries: readonly HeldEntry[]): Promise<readonly (Error | null)[]> {
    const isBeside = ({ beside }: HeldEntry): boolean => beside !== undefined;
    const answers = {
      held: (await held.ship(entries.filter((one) => !isBeside(one)))).values(),
      beside: (await shipBeside(entries.filter(isBeside))).values(),
    };
    return entries.map((one) => answers[isBeside(one) ? "beside" : "held"].next().value ?? null);
  }

  /** The lease that a write needs; null for one that concerns no session of agents. */
  async function leaseFor(name: string, input: object): Promise<Lease | null> {
    const session = writeNamed(name).session?.(archive, input) ?? null;
    if (session === null) return null;
    const known = held.lease(session);
    if (known !== null) return known;
    const isHeld = scalar(archive.sqlite, "sessions.held", "FROM sessions WHERE id = ?").get(session);
    const isNew = name === "createSession";
    if (!isNew && isHeld === 0) return null;
    if (isNew) await held.begin(session, project);
    // One that is not here may be a copy that was dropped a moment ago: another node has it.
    const found = await held.locate(session);
    if (found.kind === "here")
      return held.lease(session) ?? fail("timeout", `The lease of session ${session} ended. Send the request again.`);
    if (found.kind === "there")
      throw new AppError("conflict", `Another node writes session ${session}: ${found.address}. Ask there.`, {
        isPassing: true,
      });
    if (!isNew && isHeld === undefined) return null;
    return fail(
      "conflict",
      `Session ${session} is of this machine alone: it began before this server was a node. Begin another, or send it: plimsoll send.`,
    );
  }

  /** Bytes are in the bucket before a write names them. */
  async function upload(input: object): Promise<void> {
    const blob = blobOf(input);
    if (blob === null || performance.now() - (uploaded.get(blob.digest) ?? -UPLOADED_MS) < UPLOADED_MS) return;
    const name = blobName(blob.digest);
    const put = (): Promise<"stored" | "there"> =>
      blob.bytes === undefined
        ? fleet.objects.putStream(name, archive.blobs.read(blob.digest))
        : fleet.objects.put(name, blob.bytes);
    // What was there may be named by nothing: a sweep has to know that it is wanted.
    for (let isNoted = false; !isNoted;) {
      const isStored = (await put()) === "stored";
      const bytes = blob.bytes?.length ?? (await archive.blobs.size(blob.digest));
      const object = { digest: blob.digest, bytes, kind: "blob" } as const;
      isNoted = isStored ? await noteStored(fleet, object) : (await missingOf(fleet, [object])).length === 0;
    }
    uploaded.set(blob.digest, performance.now());
    if (uploaded.size > UPLOADED) uploaded.delete(uploaded.keys().next().value!);
  }

  async function pack(lease: Lease): Promise<void> {
    const { liveBytes: before } = lease;
    const taken = await takePack(archive, lease);
    // Its views are read from the copy here, which nobody may take out or replace until then.
    lease.commit = await bringer.inUse.use([lease.session], async () => {
      if (!held.all().includes(lease)) throw lost(lease.session);
      return enterPack(fleet, archive, lease, taken);
    });
    lease.packed = taken.upTo;
    lease.liveBytes -= before;
    lease.liveSince = performance.now();
  }

  function isDue(lease: Lease): boolean {
    if (lease.last === lease.packed) return false;
    const now = performance.now();
    return now - lease.usedAt >= idleMs || now - lease.liveSince >= oldMs || lease.liveBytes >= liveBytes;
  }

  async function tend(): Promise<void> {
    for (const lease of held.all()) {
      if (stop.signal.aborted) return;
      if (held.lease(lease.session) !== lease) continue;
      try {
        if (isDue(lease)) await pack(lease);
        else if (lease.busy === 0 && lease.last === lease.packed && performance.now() - lease.usedAt >= leaveMs)
          await held.giveBack(lease, true);
      } catch (error) {
        if (!isAppError(error)) console.error(`Session ${lease.session} was not packed:`, error);
        else if (error.code === "conflict") await held.renew().catch(() => undefined);
      }
    }
  }

  async function repeat(everyMs: number, work: () => Promise<void>): Promise<void> {
    while (!stop.signal.aborted) {
      await setTimeout(everyMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
      if (stop.signal.aborted) return;
      await work().catch((error: unknown) => isAppError(error) || console.error("A node's work failed:", error));
    }
  }

  const renew = async (): Promise<void> => {
    await noteNode(fleet, at!);
    await held.renew();
  };

  return {
    locate: held.locate,
    begin: held.begin,
    doubt: held.doubt,
    lease: held.lease,
    holds: held.holds,
    drop: held.drop,
    project,
    seconds,
    sessionOfName: (name) => sessionOfName(fleet, name),
    passFor: async (who) => passFor((secret ??= await nodeSecret(fleet)), who, archive.host.now()),
    readPass: (token) => (secret === null ? null : readPass(secret, token, archive.host.now())),
    knowSecret: () => (secret === null ? nodeSecret(fleet).then((known) => void (secret = known)) : null),
    async run(address) {
      at = address;
      await noteNode(fleet, address);
      loops = Promise.all([repeat((seconds * 1000) / 3, renew), repeat(Math.min(1000, idleMs), tend)]);
    },
    tend,
    async close() {
      stop.abort();
      await loops;
      archive.ship = null;
      archive.writer = inner;
      await Promise.allSettled(held.all().map((lease) => held.giveBack(lease, false)));
      if (at !== null) await forgetNode(fleet).catch(() => undefined);
    },
  };
}
