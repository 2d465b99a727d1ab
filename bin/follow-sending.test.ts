// Sending as the server does it: off until it is set, then what is there, then what is added; a fleet that is away is asked again,
// and one that refuses waits for a person.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { inFolder, put, withArchive } from "#lib/archive/testing-archive.ts";
import { sessionRecords } from "#lib/fleet/testing-fleet.ts";
import { createChanges, type Changes } from "#lib/http/changes.ts";
import type { CommitRequest } from "#lib/wire/fleet-schema.ts";
import type { SendingRequest } from "#lib/wire/sending-schema.ts";
import { followSending } from "./follow-sending.ts";
import { systemHost } from "./system-host.ts";

type Node = {
  readonly url: string;
  status: number;
  /** So many commits are refused, and nothing else. */
  refusals: number;
  readonly commits: CommitRequest[];
  readonly tokens: Set<string>;
};

/** A node and a bucket that take everything in, or answer with a status. */
async function withNode(run: (node: Node) => Promise<void>): Promise<void> {
  const objects = new Map<string, Buffer>();
  const server: Server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const body = Buffer.concat(pieces);
      if (request.method === "PUT") {
        objects.set(request.url!.slice(1), body);
        return response.end();
      }
      node.tokens.add(request.headers.authorization ?? "");
      if (node.status !== 200)
        return response.writeHead(node.status).end(JSON.stringify({ error: { message: "No such project." } }));
      const asked = JSON.parse(body.toString("utf8")) as CommitRequest & {
        objects: { digest: string }[];
        family?: { project?: string };
      };
      if (request.url === "/api/fleet/missing") {
        // The token of this node is of the shop.
        const project = asked.family?.project ?? "shop";
        const missing = asked.objects.filter(({ digest }) => !objects.has(digest));
        const answer = missing.map(({ digest }) => ({ digest, url: `${node.url}/${digest}`, headers: {} }));
        return response.end(JSON.stringify({ project, missing: answer }));
      }
      if (node.refusals > 0) {
        node.refusals--;
        return response.writeHead(409).end(JSON.stringify({ error: { message: "One object is just being swept." } }));
      }
      node.commits.push(asked);
      return response.end(JSON.stringify({ id: "c", project: asked.project, state: "waiting", reason: null }));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const node: Node = { url, status: 200, refusals: 0, commits: [], tokens: new Set() };
  try {
    await run(node);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const PAUSES = { quiet: 20, most: 200, away: 50, longest: 100 };
const lines = (id: string, cwd: string, prompts: string[]): string =>
  sessionRecords(id, cwd, prompts)
    .map((record) => `${JSON.stringify(record)}\n`)
    .join("");
const ID = (n: number): string => `0a1b2c3d-0000-4000-8000-00000000000${n}`;

type Ground = {
  readonly node: Node;
  readonly archive: Archive;
  readonly logs: string;
  readonly changes: Changes;
  readonly following: ReturnType<typeof followSending>;
};

/** An archive that follows these files of one folder, and the node that it may send to. */
const follow = (files: Readonly<Record<string, string>>, run: (ground: Ground) => Promise<void>): Promise<void> =>
  inFolder((dir) =>
    withNode((node) =>
      withArchive(
        join(dir, "archive"),
        async (archive) => {
          const logs = join(dir, "logs", "projects", "-home-user-shop");
          for (const [name, text] of Object.entries(files)) put(logs, name, text);
          await importPaths(archive, [logs]);
          const changes = createChanges("0");
          const following = followSending(archive, changes, PAUSES);
          following.start();
          try {
            await run({ node, archive, logs, changes, following });
          } finally {
            await following.close();
          }
        },
        systemHost(),
      ),
    ),
  );

test("sessions are sent as they come, but for what is kept here", { timeout: 120_000 }, () => {
  const files = {
    [`${ID(1)}.jsonl`]: lines(ID(1), "/home/user/shop", ["mend the mooring"]),
    [`${ID(2)}.jsonl`]: lines(ID(2), "/home/user/secret/plan", ["private"]),
  };
  return follow(files, async ({ node, archive, logs, changes, following }) => {
    expect(following.read()).toMatchObject({ on: false, to: "", hasToken: false, state: { phase: "off" } });
    const request: SendingRequest = {
      ...{ on: true, to: `${node.url}/`, project: null, exclude: ["/home/user/secret"], mask: "none" },
    };
    await expect(following.save(request)).rejects.toThrow("No token is given");
    await expect(following.save({ ...request, to: "http://fleet.example.com" })).rejects.toThrow("Use https");
    const dry = await following.preview({ ...request, token: "t" }, new AbortController().signal);
    expect(dry.rows.map(({ state, cwd }) => [state, cwd])).toEqual([
      ["would send", "/home/user/shop"],
      ["excluded", "/home/user/secret/plan"],
    ]);
    expect(dry.project).toBe("shop");
    expect(dry.sums).toMatchObject({ sent: 1, excluded: 1, objects: 1 });
    expect([node.commits, following.read().on]).toEqual([[], false]);

    expect(await following.save({ ...request, token: "plm_secret" })).toMatchObject({
      on: true,
      hasToken: true,
    });
    await vi.waitFor(() => expect(following.read().state.last?.sent).toBe(1), { timeout: 30_000 });
    expect(node.commits.map(({ project }) => project)).toEqual(["shop"]);
    expect(following.read()).toMatchObject({ project: null, state: { project: "shop" } });
    expect([...node.tokens]).toEqual(["Bearer t", "Bearer plm_secret"]);
    expect(statSync(join(archive.dir, "sending.key")).mode & 0o777).toBe(0o600);
    expect(archive.sqlite.prepare("SELECT group_concat(value) FROM settings").pluck().get()).not.toContain("plm_");

    // It grows while the fleet is away.
    node.status = 503;
    put(logs, `${ID(1)}.jsonl`, lines(ID(1), "/home/user/shop", ["mend the mooring", "and the buoy"]));
    await importPaths(archive, [logs]);
    changes.publish({ type: "sessions" });
    await vi.waitFor(() => expect(following.read().state).toMatchObject({ phase: "away" }), {
      timeout: 30_000,
    });
    expect(following.read().state.reason).toMatch(/does not answer/);
    node.status = 200;
    await vi.waitFor(() => expect(node.commits).toHaveLength(2), { timeout: 30_000 });
    await vi.waitFor(() => expect(following.read().state.phase).toBe("waiting"), { timeout: 30_000 });

    // A refusal is not asked again by itself; another address loses the token.
    node.status = 403;
    put(logs, `${ID(3)}.jsonl`, lines(ID(3), "/home/user/shop", ["third"]));
    await importPaths(archive, [logs]);
    expect((await following.sendNow()).state.phase).toBe("waiting");
    await vi.waitFor(() => expect(following.read().state.reason).toMatch(/No such project/), {
      timeout: 30_000,
    });
    const off = await following.save({ ...request, on: false, to: "https://other.example.com" });
    expect(off).toMatchObject({ on: false, hasToken: false, state: { phase: "off", project: null } });
    expect(() => readFileSync(join(archive.dir, "sending.key"))).toThrow("ENOENT");
  });
});

test("a session that the fleet refuses for now is sent later, though nothing changes here", { timeout: 60_000 }, () => {
  const files = Object.fromEntries(
    [1, 2].map((n) => [`${ID(n)}.jsonl`, lines(ID(n), "/home/user/shop", [`mend ${n}`])]),
  );
  return follow(files, async ({ node, following }) => {
    node.refusals = 2;
    await following.save({ on: true, to: node.url, project: null, exclude: [], mask: "none", token: "t" });
    await vi.waitFor(() => expect(following.read().state.reason).toMatch(/just being swept/), {
      timeout: 30_000,
    });
    await vi.waitFor(() => expect(node.commits).toHaveLength(2), { timeout: 30_000 });
    await vi.waitFor(
      () => expect(following.read().state).toMatchObject({ phase: "waiting", reason: null, nextAt: null }),
      { timeout: 30_000 },
    );
  });
});

test("a token that cannot be read stops the sending, and not the server", { timeout: 60_000 }, () =>
  follow(
    { [`${ID(1)}.jsonl`]: lines(ID(1), "/home/user/shop", ["mend"]) },
    async ({ node, archive, following, changes }) => {
      await following.save({ on: true, to: node.url, project: null, exclude: [], mask: "none", token: "t" });
      await vi.waitFor(() => expect(node.commits).toHaveLength(1), { timeout: 30_000 });
      const unheard: unknown[] = [];
      const note = (error: unknown): void => void unheard.push(error);
      const said = vi.spyOn(console, "error").mockReturnValue(undefined);
      process.on("unhandledRejection", note).on("uncaughtException", note);
      const key = join(archive.dir, "sending.key");
      const text = readFileSync(key, "utf8");
      // A link, which is not followed.
      rmSync(key);
      symlinkSync("/dev/null", key);
      // Once by what changes, and once by a start.
      changes.publish({ type: "sessions" });
      const started = followSending(archive, changes, PAUSES);
      started.start();
      await setTimeout(500);
      rmSync(key);
      writeFileSync(key, text);
      await vi.waitFor(() => expect(started.read().state).toMatchObject({ phase: "waiting", reason: null }), {
        timeout: 30_000,
      });
      await started.close();
      process.off("unhandledRejection", note).off("uncaughtException", note);
      said.mockRestore();
      expect(unheard).toEqual([]);
    },
  ),
);
