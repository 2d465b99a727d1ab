// A sender for tests: the two doors that it asks, over one node, without a server around them.
import { createServer, type Server } from "node:http";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { importBundle } from "#lib/archive/bundle/import-bundle.ts";
import { judgeSession } from "#lib/archive/load/compute-verdict.ts";
import { findSession } from "#lib/archive/base/find-session.ts";
import { catalogueNext, type Reader } from "./catalogue.ts";
import { familiesInUse } from "./families-in-use.ts";
import { fleetNode, type FleetNode } from "./fleet-node.ts";
import type { HeldOptions } from "./held/held-node.ts";
import type { Fleet } from "./open-fleet.ts";
import { sendSessions, type SendOptions } from "./send-sessions.ts";

/** Imports and judges where it is asked, as the writing thread of a server does. */
export const readerOf = (archive: Archive): Reader => ({
  inUse: familiesInUse(),
  archive,
  importBundle: async (path) => void (await importBundle(archive, path, { isCopy: true })),
  judge: async (sessions) => {
    for (const id of sessions) await judgeSession(archive, findSession(archive, id));
  },
});

/** A node whose end leaves the fleet open for the rest of a test. It packs what agents write at once. */
export const testNode = (fleet: Fleet, archive: Archive, holding: HeldOptions = {}): FleetNode =>
  fleetNode({ ...fleet, close: () => Promise.resolve() }, readerOf(archive), 1e9, Date.now, null, {
    idleMs: 0,
    ...holding,
  });

/** Runs with the address of a node's doors for senders. */
export async function withDoor<T>(node: FleetNode, run: (to: string) => Promise<T>): Promise<T> {
  const server: Server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(pieces).toString("utf8")) as never;
      const answer = request.url === "/api/fleet/missing" ? node.missing(body) : node.commit(body);
      answer.then(
        (value) => response.end(JSON.stringify(value)),
        (error: { message: string }) =>
          response.writeHead(409).end(JSON.stringify({ error: { message: error.message } })),
      );
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    return await run(`http://127.0.0.1:${(server.address() as { port: number }).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

export const SENDING = {
  token: "t",
  project: "team",
  sender: "laptop",
  sessions: null,
  exclude: [],
  mask: "none",
  dryRun: false,
} as const satisfies Partial<SendOptions>;

/** Reads every commit that waits. */
export async function readAll(fleet: Fleet, archive: Archive): Promise<void> {
  while ((await catalogueNext(fleet, readerOf(archive))) !== null);
}

/** Sends all of an archive and has a node read it; the node, which reads nothing by itself. */
export async function sendAll(fleet: Fleet, from: Archive, to: Archive, project = "team"): Promise<FleetNode> {
  const node = fleetNode(fleet, readerOf(to), 1e9);
  await withDoor(node, (address) => sendSessions(from, { ...SENDING, project, to: address }));
  await readAll(fleet, to);
  return node;
}
