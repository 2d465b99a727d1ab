// Tokens of agents at the doors: what a scope allows, and that a token which is bound to a session sees this session alone.
import { hash } from "node:crypto";
import { expect, test } from "vitest";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { storeArtifact } from "#lib/archive/artifacts/store-artifact.ts";
import { inArchive, inFolder, NOW, testHost, withArchive } from "#lib/archive/testing-archive.ts";
import { createToken, listTokens, revokeToken } from "#lib/archive/settings/access-tokens.ts";
import { artifactsAnswer, artifactView } from "#lib/wire/artifacts-schema.ts";
import { createdToken, tokensAnswer, type TokenScope } from "#lib/wire/tokens-schema.ts";
import type { Endpoint } from "./endpoint.ts";
import { ENDPOINTS } from "./routes.ts";
import { cookieName } from "./gate.ts";
import { withDoors, type Ask, type DoorServer } from "./testing-http.ts";

type Ground = {
  readonly server: DoorServer;
  readonly archive: Archive;
  /** Two sessions with an artifact each; both hold `shared` too. */
  readonly mine: Names;
  readonly other: Names;
  readonly shared: { readonly mine: string; readonly other: string; readonly digest: string };
};
type Names = { readonly id: string; readonly nativeId: string; readonly pointer: string; readonly digest: string };

const grounds = <T>(run: (ground: Ground) => Promise<T>): Promise<T> =>
  inArchive((archive) =>
    withDoors(archive, async (server) => {
      const make = async (name: string): Promise<Names> => {
        const { id, nativeId } = await createSession(archive, { id: name, title: `Session ${name}` });
        const text = Buffer.from(`what ${name} stored, of some length\n`.repeat(200));
        const { pointer, digest } = await storeArtifact(archive, { session: id, name: "note" }, text);
        return { id, nativeId, pointer, digest };
      };
      const mine = await make("mine");
      const other = await make("other");
      const both = Buffer.from("the same in both sessions");
      const first = await storeArtifact(archive, { session: mine.id, name: "both" }, both);
      const second = await storeArtifact(archive, { session: other.id, name: "both" }, both);
      const shared = { mine: first.pointer, other: second.pointer, digest: first.digest };
      return run({ server, archive, mine, other, shared });
    }),
  );

const tokenFor = async (archive: Archive, scope: TokenScope, session?: string): Promise<string> =>
  (await createToken(archive, { scope, session: session ?? null })).token;

/** A path of a route, its parameters filled. */
function pathOf(route: Endpoint, names: Readonly<Record<string, string>>): string {
  const filled: Record<string, string> = { seq: "1", turn: "1", name: "artifact_read", ...names };
  return route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(filled[name] ?? "x"));
}

const methodsOf = ({ method }: Endpoint): readonly string[] => (method === "GET" ? ["GET", "HEAD"] : [method]);

/** A request that a route of this kind of body takes. */
const bodyFor = (route: Endpoint, method: string): Ask =>
  method === "GET" || method === "HEAD"
    ? {}
    : route.takes === "json"
      ? { json: {} }
      : { body: "bytes", headers: { "content-type": "application/octet-stream" } };

/** Doors whose body names the artifact. */
const ASKING: Readonly<Record<string, (artifact: string) => object>> = {
  "/api/playground/jq": (artifact) => ({ program: ".", inputs: [{ artifact }] }),
  "/api/playground/grep": (artifact) => ({ artifact, pattern: "a" }),
  "/api/artifacts/grep": (artifact) => ({ artifacts: [artifact], pattern: "a" }),
};

type Said = { readonly status: number; readonly text: string };

const said = async (response: Response): Promise<Said> => ({
  status: response.status,
  text: await response.text(),
});

test("a token that is bound to a session is answered of others as of what never was, at every door", () =>
  grounds(async ({ server, archive, mine, other }) => {
    const token = await tokenFor(archive, "write", mine.id);
    const never = { id: "s_00000000000000ff", nativeId: "plimsoll:never" };
    const neverArtifacts = ["art:00000000-0000-4000-8000-000000000000", "art_00000000000000ff", "0".repeat(64)];
    const artifacts = [other.pointer, `art_${other.digest.slice(0, 16)}`, other.digest];
    let request = 0;
    // What /mcp answers is held to the same in mcp-endpoint.test.ts: its status is that of the exchange.
    for (const route of ENDPOINTS.filter(({ auth, path }) => auth !== "open" && path !== "/mcp"))
      for (const method of methodsOf(route)) {
        const init = { token, ...bodyFor(route, method) };
        const kind = route.bound;
        const pairs: [path: string, unknown: string, bodies?: readonly [Ask, Ask]][] = [];
        if (route.path.includes(":id"))
          for (const key of ["id", "nativeId"] as const)
            pairs.push([pathOf(route, { id: other[key] }), pathOf(route, { id: never[key] })]);
        else if (route.path.includes(":pointer"))
          for (const [i, ref] of artifacts.entries())
            pairs.push([pathOf(route, { pointer: ref }), pathOf(route, { pointer: neverArtifacts[i]! })]);
        else if (kind === "query")
          pairs.push([`${pathOf(route, {})}?session=${other.id}`, `${pathOf(route, {})}?session=${never.id}`]);
        else if (Object.hasOwn(ASKING, route.path))
          for (const [i, ref] of artifacts.entries()) {
            const asking = (artifact: string): Ask => ({ json: ASKING[route.path]!(artifact) });
            pairs.push([route.path, route.path, [asking(ref), asking(neverArtifacts[i]!)]]);
          }
        else if (kind !== "free") pairs.push([pathOf(route, {}), pathOf(route, {})]);
        for (const [foreign, unknown, bodies = [{}, {}]] of pairs) {
          const got = await said(await server.ask(method, foreign, { ...init, ...bodies[0] }));
          expect(got.status, `${method} ${foreign}: ${got.text}`).toBe(404);
          const same = (answer: Said): Said => ({
            ...answer,
            text: answer.text.replaceAll(/No artifact \\".*?\\"/g, ""),
          });
          const unseen = await said(await server.ask(method, unknown, { ...init, ...bodies[1] }));
          // A door whose body names the artifact says again what was asked for.
          expect(same(got)).toEqual(same(unseen));
          for (const secret of [other.pointer, other.digest, "Session other"])
            expect(same(got).text).not.toContain(secret);
          request++;
        }
      }
    expect(request).toBeGreaterThan(60);
  }));

test("what a bound token sees of its own session is what anyone sees", () =>
  grounds(async ({ server, archive, mine, other, shared }) => {
    const token = await tokenFor(archive, "write", "mine");
    const ask = (method: string, path: string, init: Ask = {}) => server.ask(method, path, { token, ...init });
    for (const id of [mine.id, mine.nativeId]) expect((await ask("GET", `/api/sessions/${id}`)).status).toBe(200);
    const list = artifactsAnswer.parse(await (await ask("GET", "/api/artifacts")).json());
    expect([list.total, new Set(list.artifacts.map((row) => row.sessionId))]).toEqual([2, new Set([mine.id])]);
    for (const ref of [mine.pointer, mine.digest, `art_${mine.digest.slice(0, 16)}`])
      expect((await ask("GET", `/api/artifacts/${encodeURIComponent(ref)}/raw`)).status).toBe(200);
    // The same bytes lie in both sessions: the digest leads to its own row, and tells of no other.
    const response = await ask("GET", `/api/artifacts/${shared.digest}`);
    const view = artifactView.parse(await response.json());
    expect([view.pointer, view.sameBytes]).toEqual([shared.mine, []]);
    expect((await ask("GET", `/api/artifacts/${encodeURIComponent(shared.other)}`)).status).toBe(404);
    expect((await ask("POST", `/api/sessions/${mine.id}/artifacts`, { body: "more" })).status).toBe(201);
    expect((await ask("POST", "/api/sessions", { json: { id: "mine" } })).status).toBe(200);
    for (const json of [{ id: "other" }, { id: "never" }, {}])
      expect((await ask("POST", "/api/sessions", { json })).status).toBe(404);
    expect((await ask("DELETE", `/api/artifacts/${encodeURIComponent(mine.pointer)}`, { json: {} })).status).toBe(404);
    expect(archive.sqlite.prepare("SELECT count(*) FROM sessions").pluck().get()).toBe(2);
    expect((await ask("GET", `/sessions/${mine.id}`)).status).toBe(403);
    expect(await said(await ask("GET", `/api/sessions/${mine.id}?session=${other.id}`))).toMatchObject({ status: 200 });
  }));

test("a digest that is known gives no bytes, and does not tell whether they are stored", () =>
  grounds(async ({ server, archive, mine, other }) => {
    const token = await tokenFor(archive, "write", mine.id);
    archive.sqlite
      .prepare("INSERT INTO settings VALUES ('artifacts.quota', ?)")
      .run(JSON.stringify({ archiveBytes: 20_000 }));
    const put = async (digest: string, length: number) =>
      said(
        await server.ask("POST", `/api/sessions/${mine.id}/artifacts?digest=${digest}`, {
          token,
          body: Buffer.alloc(length, "x"),
        }),
      );
    const without = (text: string, digest: string): string => text.replaceAll(digest, "…");
    for (const length of [0, 10, 100_000]) {
      const known = await put(other.digest, length);
      const never = await put("1".repeat(64), length);
      expect(known.status).toBe(length === 100_000 ? 413 : 400);
      expect({ ...known, text: without(known.text, other.digest) }).toEqual({
        ...never,
        text: without(never.text, "1".repeat(64)),
      });
    }
    expect((await server.ask("HEAD", `/api/artifacts/${other.digest}/raw`, { token })).status).toBe(404);
    const headers = { "if-none-match": `"${other.digest}"` };
    const tagged = await server.ask("GET", `/api/artifacts/${encodeURIComponent(mine.pointer)}/raw`, {
      token,
      headers,
    });
    expect(tagged.status).toBe(200);
    expect(hash("sha256", Buffer.from(await tagged.arrayBuffer()), "hex")).toBe(mine.digest);
  }));

test("who asks is the gate's to say: headers of a client change nothing", () =>
  grounds(async ({ server, archive, mine, other }) => {
    const token = await tokenFor(archive, "read", mine.id);
    const headers = {
      "x-plimsoll-session": other.id,
      "x-plimsoll-scope": "admin",
      "x-plimsoll-credential": "command-line",
    };
    const list = await server.ask("GET", "/api/artifacts", { token, headers });
    const { artifacts } = artifactsAnswer.parse(await list.json());
    expect(new Set(artifacts.map((row) => row.sessionId))).toEqual(new Set([mine.id]));
    expect((await server.ask("GET", "/api/sessions", { token, headers })).status).toBe(404);
  }));

test("a scope opens what it names and nothing above it, at every door", () =>
  grounds(async ({ server, archive }) => {
    // A token for telemetry sees nothing, and one that may only look sends none.
    const may = { telemetry: ["telemetry"], read: ["read"], write: ["telemetry", "send", "read", "write"] };
    for (const scope of ["telemetry", "read", "write"] as const) {
      const token = await tokenFor(archive, scope);
      for (const route of ENDPOINTS.filter(({ auth }) => auth === "credential"))
        for (const method of methodsOf(route)) {
          if (may[scope].includes(route.scope)) continue;
          const response = await server.ask(method, pathOf(route, {}), { token, ...bodyFor(route, method) });
          expect(await said(response), `${scope}: ${method} ${route.path}`).toMatchObject({ status: 403 });
        }
    }
    const reader = await tokenFor(archive, "read");
    expect((await server.ask("GET", "/api/sessions", { token: reader })).status).toBe(200);
    expect((await server.ask("POST", "/api/sessions", { token: reader, json: {} })).status).toBe(403);
    const writer = await tokenFor(archive, "write");
    expect((await server.ask("POST", "/api/sessions", { token: writer, json: {} })).status).toBe(201);
  }));

test("no token makes tokens, signs in or gives commands, whatever its scope", () =>
  grounds(async ({ server, archive }) => {
    const token = await tokenFor(archive, "admin");
    for (const [method, path] of [
      ["GET", "/api/tokens"],
      ["POST", "/api/tokens"],
      ["DELETE", "/api/tokens/t_1"],
      ["POST", "/api/launch"],
      ["POST", "/api/commands/gc"],
      ["GET", "/"],
    ] as const)
      expect((await server.ask(method, path, { token, ...(method === "GET" ? {} : { json: {} }) })).status).toBe(403);
    expect((await server.ask("GET", "/api/tokens")).status).toBe(403);
    expect((await server.ask("GET", "/api/sources", { token: `${token}x` })).status).toBe(401);
  }));

test("a signed-in browser makes a token, sees it once, lists and revokes it", () =>
  grounds(async ({ server, mine }) => {
    const secret = await server.credentials.exchange(server.credentials.newLaunchToken());
    const browser = (method: string, path: string, json?: unknown) =>
      fetch(server.url + path, {
        method,
        headers: {
          cookie: `${cookieName(server.port)}=${secret}`,
          origin: server.url,
          ...(json === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      });
    const response = await browser("POST", "/api/tokens", {
      name: "mine",
      scope: "write",
      session: mine.id,
      days: null,
    });
    expect(response.status).toBe(201);
    const made = createdToken.parse(await response.json());
    expect(made).toMatchObject({ session: mine.id, expiresAt: null, state: "live" });
    const list = await (await browser("GET", "/api/tokens")).text();
    expect(tokensAnswer.parse(JSON.parse(list)).tokens.map(({ id }) => id)).toEqual([made.id]);
    expect(list).not.toContain(made.token);
    const use = () => server.ask("GET", `/api/sessions/${mine.id}`, { token: made.token });
    expect((await use()).status).toBe(200);
    expect((await browser("DELETE", `/api/tokens/${made.id}`)).status).toBe(200);
    expect((await use()).status).toBe(401);
    expect((await browser("DELETE", "/api/tokens/t_none")).status).toBe(404);
    for (const wrong of [
      { scope: "all" },
      { days: 0 },
      { session: "nobody" },
      { token: "mine" },
      { scope: "admin", session: mine.id },
    ])
      expect((await browser("POST", "/api/tokens", wrong)).status, JSON.stringify(wrong)).toBeGreaterThanOrEqual(400);
  }));

test("a stream of changes ends with the token that opened it", () =>
  grounds(async ({ server, archive }) => {
    const { token, id } = await createToken(archive, { scope: "read" });
    const stream = await server.ask("GET", "/api/changes", { token });
    expect(stream.status).toBe(200);
    server.changes.publish({ type: "sessions" });
    await revokeToken(archive, id);
    server.changes.publish({ type: "session", id: "s_after", events: 0 });
    const got = await stream.text();
    expect(got).toContain('"sessions"');
    expect(got).not.toContain("s_after");
  }));

test("a token ends at its hour, is dated by its use, and is kept as a digest alone", () => {
  let now = NOW;
  return inFolder((dir) =>
    withArchive(
      dir,
      (archive) =>
        withDoors(archive, async (server) => {
          const { token, id } = await createToken(archive, { name: "short", days: 1 });
          const use = async (): Promise<number> => (await server.ask("GET", "/api/tools", { token })).status;
          expect(await use()).toBe(200);
          now += 3 * 60 * 60 * 1000;
          expect(await use()).toBe(200);
          await server.flushUses();
          expect((await listTokens(archive))[0]).toMatchObject({ usedAt: new Date(now).toISOString(), state: "live" });
          now = NOW + 24 * 60 * 60 * 1000;
          expect(await use()).toBe(401);
          expect((await listTokens(archive))[0]?.state).toBe("expired");
          const row = archive.sqlite.prepare("SELECT * FROM tokens").get() as Record<string, unknown>;
          expect(row["hash"]).toBe(hash("sha256", token, "hex"));
          expect(JSON.stringify(row)).not.toContain(token);
          expect(await revokeToken(archive, id)).toMatchObject({ state: "revoked" });
        }),
      testHost(() => now),
    ),
  );
});
