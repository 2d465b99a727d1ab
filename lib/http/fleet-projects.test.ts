// Two projects on one node: whoever reads one of them learns nothing of the other from any endpoint.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { listArtifacts } from "#lib/archive/sessions/list-artifacts.ts";
import { listSessions } from "#lib/archive/sessions/list-sessions.ts";
import { inFolder, put, withArchive } from "#lib/archive/testing-archive.ts";
import type { Manifest } from "#lib/archive/bundle/bundle-manifest.ts";
import { catalogueNext } from "#lib/fleet/catalogue.ts";
import { fleetNode } from "#lib/fleet/fleet-node.ts";
import type { Fleet } from "#lib/fleet/open-fleet.ts";
import { receiveCommit } from "#lib/fleet/commits.ts";
import { sendSessions } from "#lib/fleet/send-sessions.ts";
import { openTestFleet, sessionRecords, skippedFor, testFleet, testToken } from "#lib/fleet/testing-fleet.ts";
import { readerOf } from "#lib/fleet/testing-sender.ts";
import { artifactsQuery, type ArtifactsAnswer } from "#lib/wire/artifacts-schema.ts";
import type { SentFamily } from "#lib/wire/fleet-schema.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import type { UsageAnswer } from "#lib/wire/usage-schema.ts";
import type { Imports } from "./app-context.ts";
import type { Endpoint } from "./endpoint.ts";
import { NAMED_REACHES, reachOf } from "./fleet-reach.ts";
import { propertiesOf } from "./json-schema.ts";
import { ENDPOINTS } from "./routes.ts";
import { withDoors, type Ask, type DoorServer } from "./testing-http.ts";

const found = await testFleet();

/** What a session of each project says, and nothing else does. */
const SHOP = {
  project: "shop",
  native: "0a1b2c3d-0000-4000-8000-00000000000a",
  word: "lanterns",
  person: "ann@example.com",
};
const HARBOUR = {
  project: "quay-b",
  native: "0a1b2c3d-0000-4000-8000-00000000000b",
  word: "moorings",
  person: "mary@elsewhere.org",
};
type Of = typeof SHOP & { id: string; pointer: string; digest: string };

type Ground = {
  readonly server: DoorServer;
  readonly shop: Of;
  /** Sends the other project's session, and has it catalogued and opened here. */
  readonly addHarbour: () => Promise<Of>;
};

describe.skipIf("missing" in found)(`projects of a fleet${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  test("an endpoint is for admins of the fleet alone unless the table says what it shows", () => {
    const all = new Set(ENDPOINTS.map(({ method, path }) => `${method} ${path}`));
    expect(NAMED_REACHES.filter((name) => !all.has(name))).toEqual([]);
    expect(reachOf({ method: "GET", path: "/api/an/endpoint/of/tomorrow" })).toBe("fleet");
    for (const endpoint of ENDPOINTS) {
      if (reachOf(endpoint) === "pointer") expect([endpoint.path, endpoint.bound]).not.toContain("own");
      if (["bearer", "browser", "human"].includes(endpoint.auth)) expect(reachOf(endpoint)).toBe("fleet");
    }
  });

  test("a reader of one project gets nothing of another from any endpoint", { timeout: 120_000 }, () =>
    ground(async ({ server, shop, addHarbour }) => {
      const { token: reader } = await testToken(fleet, { project: "shop", scope: "read" });
      const admin = (await testToken(fleet, { project: "shop", scope: "admin" })).token;
      const operator = (await testToken(fleet, { project: null, scope: "admin" })).token;
      const before = await readAll(server, shop, reader);
      const harbour = await addHarbour();
      const marks = [
        harbour.id,
        harbour.native,
        harbour.word,
        harbour.project,
        harbour.digest,
        harbour.pointer,
        harbour.person,
      ];
      const marksIn = (text: string): string[] => marks.filter((mark) => text.includes(mark));

      // Its own answers are the same as before there was another project, counts and all.
      expect(await readAll(server, shop, reader)).toEqual(before);
      expect(before.filter(([, status]) => status === 200).length).toBeGreaterThan(25);

      const told: string[] = [];
      const differs: string[] = [];
      let toldOperator = 0;
      for (const endpoint of ENDPOINTS) {
        // An admin of one project is one of no other.
        const asker = endpoint.method === "GET" && endpoint.scope === "read" ? reader : admin;
        const hidden = await answerOf(server, endpoint, harbour, asker);
        // What was asked for may come back in a refusal: nothing else may.
        const own = decodeURIComponent(requestOf(endpoint, harbour));
        const news = marksIn(hidden.text).filter((mark) => !own.includes(mark));
        if (news.length > 0) told.push(`${endpoint.method} ${endpoint.path}: ${news.join()}`);
        const absent = await answerOf(server, endpoint, ABSENT, asker);
        if (hidden.status !== absent.status || blank(hidden.text, harbour) !== blank(absent.text, ABSENT))
          differs.push(
            `${endpoint.method} ${endpoint.path}: ${hidden.status} ${hidden.text.slice(0, 300)} / ${absent.text.slice(0, 300)}`,
          );
        if (endpoint.method !== "GET" || endpoint.path === "/api/changes") continue;
        if (marksIn((await answerOf(server, endpoint, harbour, operator)).text).length > 0) toldOperator++;
      }
      // Programs name what they read in their body, in a form of their own.
      for (const artifact of [harbour.pointer, harbour.digest, `art_${harbour.digest.slice(0, 16)}`])
        for (const [path, json] of [
          ["/api/playground/grep", { artifact, pattern: "." }],
          ["/api/playground/jq", { program: ".", inputs: [{ text: "1" }, { artifact }] }],
        ] as const) {
          const refused = await server.ask("POST", path, { token: reader, json });
          expect([refused.status, marksIn((await refused.text()).replaceAll(artifact, "NAME"))]).toEqual([404, []]);
        }
      expect(told).toEqual([]);
      expect(differs).toEqual([]);
      // The same questions do tell whoever sees all projects.
      expect(toldOperator).toBeGreaterThan(25);
    }),
  );

  test("a node lists artifacts that it has not, and brings one here for whoever may see it", () =>
    ground(async ({ shop }) => {
      const tokenFor = async (project: string | null, scope: "read" | "admin"): Promise<string> =>
        (await testToken(fleet, { project, scope })).token;
      const askers = [await tokenFor("shop", "read"), await tokenFor(null, "admin"), await tokenFor("yard", "read")];
      for (const [n, token] of askers.entries())
        await inFolder((dir) =>
          withArchive(dir, async (fresh) => {
            const node = fleetNode({ ...fleet, close: () => Promise.resolve() }, readerOf(fresh), 1e9);
            const atNode = async (server: DoorServer): Promise<void> => {
              const list = (await (await server.ask("GET", "/api/artifacts", { token })).json()) as ArtifactsAnswer;
              const isSeen = n < 2;
              expect(list.artifacts.map(({ pointer }) => pointer)).toEqual(isSeen ? [shop.pointer] : []);
              expect(list.total).toBe(isSeen ? 1 : 0);
              expect(fresh.sqlite.prepare("SELECT count(*) FROM artifacts").pluck().get()).toBe(0);
              const searched = await server.ask("POST", "/api/playground/grep", {
                ...{ token, json: { artifact: shop.pointer, pattern: "." } },
              });
              expect([searched.status, (await searched.text()).includes('"type":"lines"')]).toEqual(
                isSeen ? [200, true] : [404, false],
              );
              const inputs = [{ artifact: shop.pointer }];
              const asked = await server.ask("POST", "/api/playground/jq", { token, json: { program: ".", inputs } });
              expect((await asked.text()).includes("is not JSON")).toBe(isSeen);
              const shown = await server.ask("GET", `/api/artifacts/${shop.pointer}`, { token });
              expect(shown.status).toBe(isSeen ? 200 : 404);
              const own = await server.ask("GET", `/api/artifacts?session=${shop.id}`, { token });
              expect([own.status, (await own.text()).includes(shop.pointer)]).toEqual(
                isSeen ? [200, true] : [404, false],
              );
            };
            await withDoors(fresh, atNode, NO_IMPORTS, node);
            await node.close();
          }),
        );
    }));

  test("usage by person is by whose token sent it, also after a restore", () =>
    ground(async ({ shop, server }) => {
      const groups = async (): Promise<string[]> => {
        const answer = await server.ask("GET", "/api/usage?by=person");
        return ((await answer.json()) as UsageAnswer).daily!.map(({ group }) => group!);
      };
      expect(new Set(await groups())).toEqual(new Set(["ann@example.com"]));
      const json = { session: shop.id, reason: "" };
      expect((await server.ask("POST", "/api/fleet/delete", { json })).status).toBe(200);
      expect(await groups()).toEqual([]);
      expect((await server.ask("POST", "/api/fleet/restore", { json: { session: shop.id } })).status).toBe(200);
      await inFolder((dir) => withArchive(dir, (fresh) => catalogueNext(fleet, readerOf(fresh))));
      expect(new Set(await groups())).toEqual(new Set(["ann@example.com"]));
    }));

  test("a session that one project sent is not taken from another", () =>
    ground(async ({ shop, server }) => {
      const [row] = await fleet.sql<{ body: object }[]>`SELECT body FROM families WHERE project = 'shop' LIMIT 1`;
      const { token } = await testToken(fleet, { project: "yard" });
      const json = { project: "yard", sender: "laptop", family: row!.body };
      const refused = await server.ask("POST", "/api/fleet/commits", { token, json });
      expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining(`The session ${shop.id}`)]);
      expect((await fleet.sql`SELECT 1 FROM commits WHERE project = 'yard'`).length).toBe(0);
    }));

  test("a file that names a session of another project, and does not say so, is not shown in its place", () =>
    ground(async ({ shop, server }) => {
      const [row] = await fleet.sql<{ body: SentFamily }[]>`SELECT body FROM families WHERE project = 'shop' LIMIT 1`;
      const { manifest, entries } = row!.body;
      const text = manifest as Manifest;
      const id = "s_00000000000000aa";
      const hidden = {
        ...text,
        session: id,
        files: text.files.map((file) => ({ ...file, nativeId: null, path: "/elsewhere/run.jsonl" })),
        sessions: text.sessions.map((one) => ({ ...one, id, nativeId: "unlike" })),
      };
      await receiveCommit(fleet, {
        ...{ project: "yard", sender: "laptop" },
        family: { manifest: hidden, entries },
      });
      await inFolder((dir) =>
        withArchive(dir, async (fresh) => {
          expect(await catalogueNext(fleet, readerOf(fresh))).toBe("failed");
          expect(fresh.sqlite.prepare("SELECT id FROM sessions").all()).toEqual([]);
        }),
      );
      const [commit] = await fleet.sql`SELECT state, reason FROM commits WHERE project = 'yard'`;
      expect(commit).toMatchObject({ state: "failed", reason: expect.stringContaining(shop.id) as string });
      const { token } = await testToken(fleet, { project: "yard", scope: "read" });
      expect((await server.ask("GET", `/api/sessions/${shop.id}`, { token })).status).toBe(404);
    }));

  test("who writes in a project marks its sessions, for all who read it", () =>
    ground(async ({ shop, server }) => {
      const tokenFor = async (project: string | null, scope: "read" | "write"): Promise<string> =>
        (await testToken(fleet, { project, scope })).token;
      const [reader, writer] = [await tokenFor("shop", "read"), await tokenFor("shop", "write")];
      const yard = await tokenFor("yard", "write");
      const put = (token: string, json: object) => server.ask("PUT", `/api/sessions/${shop.id}/marks`, { json, token });
      const label = { kind: "label", value: "todo" };
      const asked = [await put(reader, label), await put(yard, label), await put(writer, label)];
      expect(asked.map(({ status }) => status)).toEqual([403, 404, 200]);
      const star = { session: shop.id, request: { kind: "star", on: true, seq: null } };
      expect((await server.ask("POST", "/api/commands/mark", { json: star })).status).toBe(200);
      const list = async (token: string): Promise<unknown> =>
        (await server.ask("GET", "/api/sessions?q=label:todo", { token })).json();
      expect(await list(reader)).toMatchObject({ sessions: [{ id: shop.id, starred: true, labels: ["todo"] }] });
      expect(await list(yard)).toMatchObject({ sessions: [] });
      const labels = async (token: string): Promise<unknown> =>
        (await server.ask("GET", "/api/labels", { token })).json();
      expect(await labels(reader)).toEqual({ labels: [{ name: "todo", count: 1 }] });
      expect(await labels(yard)).toEqual({ labels: [] });
    }));

  test("a session whose file is on its sender's machine is not said to have lost it", () =>
    ground(async ({ shop, server }) => {
      const { token } = await testToken(fleet, { project: "shop", scope: "read" });
      const ask = async (path: string): Promise<object> => (await server.ask("GET", path, { token })).json() as never;
      expect(await ask("/api/sessions")).toMatchObject({ sessions: [{ id: shop.id, status: "idle" }] });
      const opened = { id: shop.id, status: "idle", quality: [], source: { gone: false } };
      expect(await ask(`/api/sessions/${shop.id}`)).toMatchObject(opened);
    }));

  /** A node that has catalogued and opened a session of the shop, and nothing else. */
  const ground = (run: (ground: Ground) => Promise<void>): Promise<void> =>
    inFolder((dir) =>
      withArchive(join(dir, "node"), async (archive) => {
        for (const table of ["sessions", "families", "commits", "session_projects", "session_kept", "session_marks"])
          await fleet.sql`DELETE FROM ${fleet.sql(table)}`;
        const reader = readerOf(archive);
        const open: Fleet = { ...fleet, close: () => Promise.resolve() };
        const node = fleetNode(open, reader, 1e9);
        await withDoors(
          archive,
          async (server) => {
            const add = (of: typeof SHOP) =>
              withArchive(join(dir, of.project), async (laptop): Promise<Of> => {
                const logs = join(dir, "logs", of.project);
                const records = recordsOf(of);
                put(logs, `${of.native}.jsonl`, records.map((one) => `${JSON.stringify(one)}\n`).join(""));
                await importPaths(laptop, [logs]);
                const { token } = await testToken(fleet, { project: of.project, person: of.person });
                await sendSessions(laptop, {
                  ...{ to: server.url, token, project: of.project, sender: "laptop" },
                  ...{ sessions: null, exclude: [], mask: "none", dryRun: false },
                });
                expect(await catalogueNext(fleet, reader)).toBe("done");
                const { sessions } = await listSessions(laptop, sessionsQuery.parse({}));
                const { id } = sessions[0]!;
                await node.ensure(id, "all");
                const { artifacts } = await listArtifacts(laptop, artifactsQuery.parse({ session: id }));
                const { pointer, digest } = artifacts[0]!;
                return { ...of, id, pointer, digest };
              });
            await run({ server, shop: await add(SHOP), addHarbour: () => add(HARBOUR) });
          },
          NO_IMPORTS,
          node,
        );
      }),
    );
});

/** Nothing is imported on this node but what its fleet has. */
const NO_IMPORTS = {
  ...{
    progress: () => null,
    jobs: () => [],
    received: () => [],
    roots: async () => [],
    folders: async () => [],
    count: () => undefined,
  },
} as unknown as Imports;

/** A prompt, an answer, and a command whose output is large enough to be stored beside the session. */
function recordsOf({ native, project, word }: typeof SHOP): object[] {
  const records = sessionRecords(native, `/home/user/${project}`, [`repair the ${word}`, "go on"]);
  const [prompt, answer] = records.slice(2) as { message: object }[];
  const call = { type: "tool_use", id: `toolu_${native}`, name: "Bash", input: { command: `cat ${word}` } };
  const result = { type: "tool_result", tool_use_id: call.id, content: `${word} and more\n`.repeat(4000) };
  return [
    ...records.slice(0, 2),
    {
      ...answer,
      uuid: `${native}-c`,
      parentUuid: `${native}-a0`,
      message: { ...answer!.message, id: "m-call", content: [call] },
    },
    { ...prompt, uuid: `${native}-r`, parentUuid: `${native}-c`, message: { role: "user", content: [result] } },
  ];
}

/** Names of nothing. */
const ABSENT: Of = {
  ...{
    project: "absent-",
    native: "0a1b2c3d-0000-4000-8000-00000000000c",
    word: "rowlocks",
    id: "s_ffffffffffffffff",
    person: "",
  },
  ...{ pointer: "art:ffffffff-0000-4000-8000-00000000000c", digest: "f".repeat(64) },
};

/** A request of an endpoint that names a session wherever one may be named. */
function requestOf({ path, method, takes, schemas }: Endpoint, of: Of): string {
  const filled: Record<string, string> = { id: of.id, pointer: of.pointer, project: of.project, seq: "1", turn: "1" };
  const at = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(filled[name] ?? "artifact_read"));
  const query = new URLSearchParams({ session: of.id, parent: of.id, q: of.word, project: `/home/user/${of.project}` });
  // What an endpoint does not have is refused whoever asks.
  const known = schemas.query && propertiesOf(schemas.query).properties;
  if (known) for (const name of [...query.keys()]) if (!(name in known)) query.delete(name);
  const body =
    method === "GET" || takes !== "json"
      ? ""
      : JSON.stringify({ session: of.id, pointer: of.pointer, project: of.project, id: of.id });
  return `${at}?${query.toString()}\n${body}`;
}

async function answerOf(
  server: DoorServer,
  endpoint: Endpoint,
  of: Of,
  token: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const [target, body] = requestOf(endpoint, of).split("\n") as [string, string];
  const init: Ask =
    endpoint.takes === "bytes" || endpoint.takes === "content"
      ? { body: "x", headers: { "content-type": "application/octet-stream" } }
      : body === ""
        ? {}
        : { json: body };
  const response = await server.ask(endpoint.method, target, { token, ...init });
  // How long a search took is nobody's secret.
  return { status: response.status, text: (await response.text()).replaceAll(/"ms":[\d.e-]+/gu, '"ms":0') };
}

/** Without the names that were asked for. */
const blank = (text: string, { id, native, pointer, project, word }: Of): string =>
  [id, native, pointer, project, word].reduce((rest, mark) => rest.replaceAll(mark, "NAME"), text);

/** What a reader is answered of its own session, by everything that only reads. */
async function readAll(server: DoorServer, of: Of, token: string): Promise<(readonly [string, number, string])[]> {
  const answers: (readonly [string, number, string])[] = [];
  for (const endpoint of ENDPOINTS.filter(({ method, auth }) => method === "GET" && auth === "credential")) {
    const { status, text } = await answerOf(server, endpoint, of, token);
    answers.push([endpoint.path, status, text]);
  }
  for (const path of ["/api/sessions?sums=1", "/api/artifacts", "/api/usage?by=person"]) {
    const all = await server.ask("GET", path, { token });
    answers.push([path, all.status, await all.text()]);
  }
  return answers;
}
