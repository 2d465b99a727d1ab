// The nodes of a fleet: each says that it is there and where, and proves to the others that a request which it passes on is from a
// node, by a secret that the database keeps.
import { createHmac, timingSafeEqual } from "node:crypto";
import { fail } from "#lib/kernel/errors.ts";
import type { Fleet } from "../open-fleet.ts";

/** Where the others reach a node, and what its gate takes as Host. */
export type NodeAddress = { readonly address: string; readonly host: string };

/** Nodes that were not seen for so long are forgotten. */
const FORGET = "1 day";

export async function noteNode({ sql, ask, node }: Fleet, { address, host }: NodeAddress): Promise<void> {
  await ask(
    () => sql`INSERT INTO nodes (id, address, host) VALUES (${node}, ${address}, ${host})
      ON CONFLICT (id) DO UPDATE SET seen_at = clock_timestamp(), address = excluded.address, host = excluded.host`,
  );
}

export async function forgetNode({ sql, ask, node }: Fleet): Promise<void> {
  await ask(() => sql`DELETE FROM nodes WHERE id = ${node} OR seen_at < clock_timestamp() - ${FORGET}::interval`);
}

export async function nodeSecret({ sql, ask }: Fleet): Promise<string> {
  const [row] = await ask(() => sql<{ value: string }[]>`SELECT value FROM fleet_meta WHERE key = 'node_secret'`);
  return row?.value ?? fail("conflict", "This fleet has no secret for its nodes. Run plimsoll fleet migrate.");
}

/** A request that waits longer on its way is refused: clocks of nodes may be minutes apart. */
const AGE_MS = 10 * 60_000;
const PREFIX = "pln_";

export const isPass = (token: string): boolean => token.startsWith(PREFIX);

/** Who asks, as one node tells another. */
export function passFor(secret: string, who: object, now: number): string {
  const text = Buffer.from(JSON.stringify({ who, at: now })).toString("base64url");
  return `${PREFIX}${text}.${signed(secret, text)}`;
}

/** Who asks, by the pass of a node; null for what is none. */
export function readPass(secret: string, token: string, now: number): object | null {
  if (!isPass(token)) return null;
  const [text = "", given = ""] = token.slice(PREFIX.length).split(".");
  const own = signed(secret, text);
  if (given.length !== own.length || !timingSafeEqual(Buffer.from(given), Buffer.from(own))) return null;
  const { who, at } = JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as { who: object; at: number };
  return Math.abs(now - at) < AGE_MS ? who : null;
}

const signed = (secret: string, text: string): string => createHmac("sha256", secret).update(text).digest("base64url");
