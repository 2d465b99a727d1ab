// A fleet as a node opens it. Machines start in any order: where a part is away the node begins without it, and looks again until it is
// there. Until its schema was looked at nothing is asked of a database. What waiting does not mend ends the node.
import { lookup } from "node:dns/promises";
import { setTimeout } from "node:timers/promises";
import { outliveCutConnections, requireSchema } from "#db/fleet/fleet-database.ts";
import type { Environment } from "#lib/blobs/open-objects.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { openFleet, type Fleet, type FleetAddress } from "./open-fleet.ts";

/** Pauses before a part is looked for again (milliseconds): the last one holds from then on. */
const PAUSES_MS = [500, 1000, 2000, 5000] as const;
/** A part that says nothing for so long is away (milliseconds). */
const SILENT_MS = 8000;

type Part = { readonly name: string; readonly label: string; check(): Promise<void> };

export type AwaitedFleet = {
  readonly fleet: Fleet;
  /** Null for a part that was there at once. It fails where this version, its keys or its password cannot work with what came. */
  readonly database: Promise<void> | null;
  readonly bucket: Promise<void> | null;
};

export async function awaitFleet(
  address: FleetAddress,
  env: Environment,
  note: (text: string) => void = console.error,
): Promise<AwaitedFleet> {
  const open = openFleet(address, env, true);
  const stop = new AbortController();
  let reason: Error | null = null;
  const database: Part = {
    ...{ name: "PostgreSQL", label: open.label },
    async check() {
      try {
        await open.ask(() => requireSchema(open.sql), SILENT_MS);
        reason = null;
      } catch (error) {
        reason = error as Error;
        throw error;
      }
    },
  };
  const bucket: Part = {
    ...{ name: "S3", label: open.objects.label },
    check: () => open.objects.check(SILENT_MS),
  };
  const fleet: Fleet = {
    ...open,
    ask: (run, withinMs) => (reason === null ? open.ask(run, withinMs) : Promise.reject(reason)),
    close() {
      stop.abort();
      return open.close();
    },
  };

  /** Looks again until it is there. */
  async function wait({ name, label, check }: Part, first: unknown): Promise<void> {
    note(`Waiting for ${name} (${label}): ${sentenceOf(first)}`);
    let last = sentenceOf(first);
    for (let tries = 0; ; tries++) {
      const pause = PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)];
      await setTimeout(pause, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
      stop.signal.throwIfAborted();
      try {
        await check();
        return note(`${name} is there.`);
      } catch (error) {
        if (!isAway(error)) throw error;
        if (sentenceOf(error) !== last) note(`Still waiting for ${name}: ${(last = sentenceOf(error))}`);
      }
    }
  }

  // Not awaited: a server of names may answer nothing, for longer than the parts are tried.
  void noteUnresolved(address.database, "PLIMSOLL_DATABASE", note);
  void noteUnresolved(address.bucket, "PLIMSOLL_BUCKET", note);
  const looked = await Promise.allSettled([database.check(), bucket.check()]);
  const failures = looked.map((one): unknown => (one.status === "rejected" ? one.reason : null));
  const fatal = failures.find((error) => error !== null && !isAway(error));
  if (fatal !== undefined) {
    await fleet.close();
    throw fatal as Error;
  }
  outliveCutConnections();
  const [ofDatabase, ofBucket] = [database, bucket].map((part, n) => {
    const waiting = failures[n] === null ? null : wait(part, failures[n]);
    // Whoever opened it hears of it, if somewhat later.
    waiting?.catch(() => undefined);
    return waiting;
  });
  return { fleet, database: ofDatabase!, bucket: ofBucket! };
}

/** A mistyped host is named at once: the parts themselves try for some seconds before they fail. */
async function noteUnresolved(address: string, variable: string, note: (text: string) => void): Promise<void> {
  const host = URL.parse(address)?.hostname.replace(/^\[|\]$/g, "") ?? "";
  if (host === "") return;
  await lookup(host).catch((error: NodeJS.ErrnoException) =>
    note(`The host ${host} does not resolve (${error.code}). Check ${variable}; the node goes on trying.`),
  );
}

const isAway = (error: unknown): boolean => isAppError(error) && error.code === "timeout";
const sentenceOf = (error: unknown): string => (error as Error).message.split(/(?<=\.)\s/u, 1)[0]!;
