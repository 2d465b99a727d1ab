// A node of a fleet with its endpoints, for tests of what several do together.
import { basename, dirname } from "node:path";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { importBundle } from "#lib/archive/bundle/import-bundle.ts";
import { withArchive } from "#lib/archive/testing-archive.ts";
import { fleetNode, type FleetNode } from "#lib/fleet/fleet-node.ts";
import { noteNode } from "#lib/fleet/held/node-list.ts";
import type { Fleet } from "#lib/fleet/open-fleet.ts";
import { cookieName } from "./gate.ts";
import { withDoors, type DoorServer } from "./testing-http.ts";

export type NodeDoor = {
  readonly archive: Archive;
  readonly node: FleetNode;
  readonly server: DoorServer;
  /** What a page asks: as a browser that signed in by the node's own link. */
  readonly browse: (path: string) => Promise<Response>;
  /** Other nodes reach it at this address from now on. */
  readonly moveTo: (address: string) => Promise<void>;
};

/** Runs with a node whose archive is this folder. A session stays with it for 20 s; what is written is packed when it is tended. */
export const withNodeDoors = (fleet: Fleet, dir: string, run: (door: NodeDoor) => Promise<void>): Promise<void> =>
  withArchive(dir, async (archive) => {
    const id = `${basename(dir)}-${dirname(dir).slice(-6)}`;
    const own: Fleet = { ...fleet, node: id, close: () => Promise.resolve() };
    const importer = async (path: string): Promise<void> => void (await importBundle(archive, path));
    const reader = { archive, importBundle: importer, judge: () => Promise.resolve() };
    const node = fleetNode(own, reader, 1e9, Date.now, null, { seconds: 20, idleMs: 0 });
    await withDoors(
      archive,
      async (server) => {
        const moveTo = (address: string): Promise<void> => noteNode(own, { address, host: `127.0.0.1:${server.port}` });
        await moveTo(server.url);
        const secret = await server.credentials.exchange(server.credentials.newLaunchToken());
        const headers = { cookie: `${cookieName(server.port)}=${secret}` };
        await run({ archive, node, server, moveTo, browse: (path) => fetch(server.url + path, { headers }) });
      },
      undefined,
      node,
    );
    await node.close();
  });
