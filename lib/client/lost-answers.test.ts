// A write whose answer is lost is sent again with its key, and carried out once; so is one whose server is killed meanwhile.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Plimsoll } from "./remote.ts";
import { withServer, type TestServer } from "./testing-server.ts";

type Send = typeof fetch;

const lost = (): TypeError =>
  new TypeError("fetch failed", { cause: Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" }) });

/** Lets every second answer of a write get lost. */
const losing = (keys: (string | null)[]): Send => {
  let n = 0;
  return async (url, init) => {
    const response = await fetch(url, init);
    if (init?.method !== "POST") return response;
    keys.push(new Headers(init.headers).get("idempotency-key"));
    if (n++ % 2 === 1) return response;
    await response.arrayBuffer();
    throw lost();
  };
};

test("each write is carried out once, whichever answer is lost, with one key of its own", () =>
  withServer(async ({ url, tokens }) => {
    const keys: (string | null)[] = [];
    const { id } = await new Plimsoll({ url, token: tokens.write }).createSession({ id: "run" });
    const session = new Plimsoll({ url, token: tokens.write, fetch: losing(keys) }).session(id);
    const stored = await session.storeArtifact("tides of May", { name: "tides" });
    const output = await session.recordOutput("calm ".repeat(4000), { toolName: "read_log", toolCallId: "c1" });
    // Without a uuid: nothing but the key knows it again.
    await session.addEvents([{ record: "event", body: { type: "assistant", text: "Calm." } }]);
    const { id: item } = await session.changeMemory({ do: "add", kind: "semantic", text: "Pier 4 stays open" });
    expect([stored.name, output.artifact === null, item.length > 0]).toEqual(["tides", false, true]);
    expect(keys).toHaveLength(8);
    expect(keys.filter((_, i) => i % 2 === 0)).toEqual(keys.filter((_, i) => i % 2 === 1));
    expect(new Set(keys).size).toBe(4);

    const plain = new Plimsoll({ url, token: tokens.write }).session(id);
    expect(JSON.parse((await plain.listArtifacts()).text)).toHaveLength(2);
    const { events } = await plain.events();
    expect(events.map(({ type }) => type)).toEqual(["tool_call", "tool_result", "assistant"]);
    expect((await plain.memory()).items.filter((one) => one.id === item)).toHaveLength(1);
  }));

test("a closed turn has a key; what only reads, and the next request, are sent again as they are", () =>
  withServer(async ({ url, tokens }) => {
    const keys: (string | null)[] = [];
    const plain = new Plimsoll({ url, token: tokens.write });
    const { id } = await plain.createSession({ id: "run" });
    const log = Array.from({ length: 3000 }, (_, n) => `line ${n} of the tide table`).join("\n");
    const { artifactId } = await plain.session(id).storeArtifact(log, { name: "log" });
    await plain.session(id).addEvents([{ record: "event", body: { type: "user", text: "How high?" } }]);
    const session = new Plimsoll({ url, token: tokens.write, fetch: losing(keys) }).session(id);
    expect((await session.nextRequest()).sessionId).toBe(id);
    expect((await session.readArtifact(artifactId, { start_line: 7, end_line: 7 })).text).toContain("line 6 of");
    expect(keys).toEqual([null, null, null, null]);
    expect(await session.closeTurn(1)).toEqual({ turn: 1, closed: true });
    const stored = await session.tool("storeArtifact", { name: "weather", value: "calm" });
    expect(stored).toMatchObject({ isError: false });
    expect(keys.slice(4)).toEqual([keys[4], keys[4], keys[6], keys[6]]);
    expect(new Set(keys).size).toBe(3);
    expect(JSON.parse((await plain.session(id).listArtifacts()).text)).toHaveLength(2);
  }));

test("a server that is killed behind its commit, and started again, has the write once", async () => {
  const dir = mkdtempSync(join(tmpdir(), "plimsoll-lost-"));
  let current: TestServer | null = null;
  const second = Promise.withResolvers<void>();
  const send: Send = async (url, init) => {
    if (current === null) throw new TypeError("fetch failed", { cause: new Error("nobody answers") });
    const { pathname, search } = new URL(String(url));
    return fetch(current.url + pathname + search, init);
  };
  try {
    let id = "";
    await withServer(
      async (server) => {
        current = server;
        ({ id } = await new Plimsoll({ url: server.url, token: server.tokens.write }).createSession({ id: "run" }));
        const kill: Send = async (url, init) => {
          const response = await send(url, init);
          if (current !== server) return response;
          // The answer is written, and never read.
          current = null;
          await server.kill();
          second.resolve();
          throw lost();
        };
        const session = new Plimsoll({ url: server.url, token: server.tokens.write, fetch: kill }).session(id);
        const storing = session.storeArtifact("tides of May", { name: "tides" });
        await second.promise;
        const again = withServer(
          async (next) => {
            current = next;
            expect((await storing).name).toBe("tides");
            const { text } = await new Plimsoll({ url: next.url, token: next.tokens.write })
              .session(id)
              .listArtifacts();
            expect(JSON.parse(text)).toHaveLength(1);
          },
          { dir },
        );
        await again;
      },
      { dir },
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

test("nobody listens: it is told at once", async () => {
  let tries = 0;
  const count: Send = (url, init) => {
    tries++;
    return fetch(url, init);
  };
  const closed = createServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port } = closed.address() as AddressInfo;
  closed.close();
  const session = new Plimsoll({ url: `http://127.0.0.1:${port}`, token: "x", fetch: count }).session("s");
  await expect(session.storeArtifact("x")).rejects.toMatchObject({ code: "not_found" });
  expect(tries).toBe(1);
});

test.each([
  ["in its body", (text: string) => text.slice(0, 10)],
  ["before it", () => ""],
])("an answer that is cut off %s is asked for again, with its key", async (_, cut) => {
  const keys: unknown[] = [];
  const answer = JSON.stringify({ turn: 1, closed: true });
  const server = createHttpServer((request, response) => {
    keys.push(request.headers["idempotency-key"]);
    response.writeHead(200, { "content-type": "application/json", "content-length": answer.length });
    if (keys.length > 1) response.end(answer);
    else response.write(cut(answer), () => setTimeout(() => response.destroy(), 20));
    if (keys.length === 1) response.flushHeaders();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const session = new Plimsoll({ url, token: "t" }).session("plimsoll:run");
    expect(await session.closeTurn(1)).toEqual({ turn: 1, closed: true });
    expect(keys).toEqual([expect.any(String), keys[0]]);
  } finally {
    server.close();
  }
});
