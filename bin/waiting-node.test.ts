// A node that starts before its fleet does, as where machines start in any order: it waits, says for what, and goes on when it comes.
// What waiting does not mend ends it.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { inFolder } from "#lib/archive/testing-archive.ts";
import { openFleet } from "#lib/fleet/open-fleet.ts";
import { frozenWire } from "#lib/fleet/testing-frozen-wire.ts";
import { openTestFleet, skippedFor, testFleet } from "#lib/fleet/testing-fleet.ts";
import { entryOf } from "../scripts/bundle.mjs";

const found = await testFleet();
const ends: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(ends.splice(0).map((end) => end())));

type Address = { readonly database: string; readonly bucket: string };

type Started = {
  readonly ask: (path: string, isOpen?: boolean) => Promise<[status: number, text: string]>;
  readonly said: () => string;
  readonly port: Promise<number>;
  readonly code: Promise<number | null>;
};

/** A node with its endpoints alone. */
function start({ database, bucket }: Address, archive: string): Started {
  const words = [entryOf("bin/serve.ts"), "--no-pages", "--port", "0", "--archive", archive, "--sources", archive];
  const env = { PATH: process.env["PATH"], HOME: archive, PLIMSOLL_DATABASE: database, PLIMSOLL_BUCKET: bucket };
  const child = spawn(process.execPath, words, {
    env: { ...env, NODE_ENV: "production" },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let said = "";
  child.stderr!.on("data", (chunk) => (said += String(chunk)));
  const code = new Promise<number | null>((done) => child.once("exit", done));
  ends.push(() => (child.kill("SIGTERM"), code));
  const port = new Promise<number>((done, failed) => {
    child.on("message", (message: { ready?: boolean; port: number }) => message.ready && done(message.port));
    void code.then(() => failed(new Error(`The node ended: ${said}`)));
  });
  port.catch(() => undefined);
  return {
    said: () => said,
    port,
    code,
    async ask(path, isOpen = false) {
      const { token } = JSON.parse(readFileSync(join(archive, "endpoint.json"), "utf8")) as { token: string };
      const headers: HeadersInit = isOpen ? {} : { authorization: `Bearer ${token}` };
      const answer = await fetch(`http://127.0.0.1:${await port}${path}`, { headers });
      return [answer.status, await answer.text()];
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

describe.skipIf("missing" in found)(`a node before its fleet${skippedFor(found)}`, () => {
  const { address } = found as Extract<typeof found, { address: object }>;
  const NAMES = { database: "PostgreSQL", bucket: "S3" } as const;

  /** The same fleet with a part of it at a port where nothing is yet, and what brings it there. */
  async function withoutPart(part: keyof Address): Promise<{ at: Address; host: string; bring: () => Promise<void> }> {
    const real = new URL(address[part].replace(/^s3\+http:/, "http:"));
    const port = await freePort();
    return {
      at: { ...address, [part]: address[part].replace(`:${real.port}/`, `:${port}/`) },
      host: `127.0.0.1:${port}`,
      async bring() {
        const wire = await frozenWire({ host: real.hostname, port: Number(real.port) }, port);
        ends.push(wire.close);
      },
    };
  }

  test.for(["database", "bucket"] as const)("waits for a %s that is away", { timeout: 120_000 }, (part) =>
    inFolder(async (dir) => {
      await (await openTestFleet(address)).close();
      const { at, host, bring } = await withoutPart(part);
      const node = start(at, join(dir, "node"));
      await node.port;
      expect(node.said()).toMatch(`Waiting for ${NAMES[part]} (`);
      expect(node.said()).toContain(host);
      expect(await node.ask("/api/health", true)).toEqual([200, '{"ok":true}']);
      const error = { code: "timeout", message: `${NAMES[part]} does not answer. The node's log says why.` };
      const [status, text] = await node.ask("/api/ready", true);
      expect([status, JSON.parse(text), text.includes(host)]).toEqual([504, expect.objectContaining({ error }), false]);
      expect(node.said()).toMatch(/This node is not ready\. .*ECONNREFUSED/);
      const list = await node.ask("/api/sessions");
      expect([list[0], list[1].includes(host)]).toEqual([part === "database" ? 504 : 200, false]);
      await bring();
      await vi.waitFor(async () => expect((await node.ask("/api/ready", true))[0]).toBe(200), {
        timeout: 30_000,
        interval: 100,
      });
      expect((await node.ask("/api/sessions"))[0]).toBe(200);
      await vi.waitFor(() => expect(node.said()).toContain(`${NAMES[part]} is there.`), 20_000);
      // It does a node's work: others find it.
      const fleet = openFleet(address);
      await vi.waitFor(async () => expect((await fleet.sql`SELECT 1 FROM nodes`).length).toBeGreaterThan(0), 10_000);
      await fleet.sql`DELETE FROM nodes`;
      await fleet.close();
    }),
  );

  test("ends at a signal while it waits", { timeout: 60_000 }, () =>
    inFolder(async (dir) => {
      const node = start((await withoutPart("database")).at, join(dir, "node"));
      await node.port;
      const [end] = ends.splice(0);
      expect(await end!()).toBe(0);
    }),
  );

  const refused: readonly (readonly [what: string, Partial<Address>, says: RegExp])[] = [
    ["another user", { database: address?.database.replace(/\/\/\w+:/, "//nobody:") }, /refuses this|does not exist/],
    ["a database that is missing", { database: `${address?.database}_none` }, /has no database of this name/],
    ["a bucket that is missing", { bucket: `${address?.bucket}-none` }, /is missing\. Make it/],
    ["other keys", { bucket: address?.bucket.replace("//AK:SK@", "//AK:XX@") }, /refuses these keys/],
  ];
  test.for(refused)("ends at once with %s", { timeout: 60_000 }, ([, other, says]) =>
    inFolder(async (dir) => {
      await (await openTestFleet(address)).close();
      const node = start({ ...address, ...other }, join(dir, "node"));
      expect(await node.code).toBe(1);
      expect(node.said()).toMatch(says);
      expect(node.said()).not.toMatch(/^ {4}at /m);
    }),
  );

  test("ends where what comes has a newer schema", { timeout: 60_000 }, () =>
    inFolder(async (dir) => {
      const fleet = await openTestFleet(address);
      const { at, bring } = await withoutPart("database");
      const node = start(at, join(dir, "node"));
      await node.port;
      const [before] = await fleet.sql<{ value: string }[]>`SELECT value FROM fleet_meta WHERE key = 'oldest'`;
      await fleet.sql`UPDATE fleet_meta SET value = '9999' WHERE key = 'oldest'`;
      await bring();
      expect(await node.code).toBe(1);
      expect(node.said()).toMatch(/this Plimsoll knows \d+\. Update Plimsoll\.\n$/);
      await fleet.sql`UPDATE fleet_meta SET value = ${before!.value} WHERE key = 'oldest'`;
      await fleet.close();
    }),
  );
});
