// A recorder against a real Plimsoll, which is away, comes back and is killed while it records.
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Plimsoll } from "../remote.ts";
import { withServer, type TestServer } from "../testing-server.ts";
import { Recorder, type RecorderOptions } from "./event-recorder.ts";

let dir = "";
let spool = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "plimsoll-recorder-"));
  spool = join(dir, "spool");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const problems: string[] = [];
const recorderOf = (url: string, token: string, more: Partial<RecorderOptions> = {}): Recorder => {
  problems.length = 0;
  return new Recorder({ url, token, spool, session: { id: "run" }, onProblem: (one) => problems.push(one), ...more });
};

const say = (recorder: Recorder, text: string): void =>
  recorder.record({ record: "event", startsTurn: true, body: { type: "user", text } });

/** Every user message of the session, in order. */
async function textsOf({ url, tokens }: Pick<TestServer, "url" | "tokens">): Promise<string[]> {
  const session = new Plimsoll({ url, token: tokens.write }).session("plimsoll:run");
  const texts: string[] = [];
  for (let from: number | null = 1; from !== null;) {
    const page = await session.events({ from, limit: 500, type: "user" });
    texts.push(...page.events.map(({ text }) => text!));
    from = page.next;
  }
  return texts;
}
const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => `message ${i}`);
const spoolFiles = (): string[] =>
  readdirSync(spool, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(".jsonl"));

test("records arrive in order, with a model call, a large output and an input that is no JSON", () =>
  withServer(async (server) => {
    const recorder = recorderOf(server.url, server.tokens.write);
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    const large = "a line of the log\n".repeat(150_000);
    say(recorder, "Read the log.");
    const usage = {
      inputUncached: 90,
      cacheRead: 0,
      cacheWrite: 0,
      output: 5,
      reasoning: 0,
      origin: "reported",
    } as const;
    recorder.record({ record: "call", key: "m1", model: "claude-sonnet-4-5", usage });
    recorder.record({
      record: "event",
      call: "m1",
      body: { type: "tool_call", toolCallId: "c1", toolName: "log", input: circular },
    });
    recorder.record({
      record: "event",
      body: { type: "tool_result", toolCallId: "c1", text: "{}", saw: "preview" },
      full: large,
    });
    expect(await recorder.close()).toBe(true);
    const session = new Plimsoll({ url: server.url, token: server.tokens.write }).session("plimsoll:run");
    const { events } = await session.events();
    expect(events.map(({ type }) => type)).toEqual(["user", "tool_call", "tool_result"]);
    expect(events[2]).toMatchObject({ saw: "preview", stored: { sizeBytes: large.length } });
    expect((await session.load()).calls).toHaveLength(1);
    expect([problems, spoolFiles()]).toEqual([[], []]);
  }));

test("what is recorded while Plimsoll is away is there when it comes, and what a killed process left too", async () => {
  const archive = join(dir, "archive");
  const away = recorderOf("http://127.0.0.1:9", "t");
  for (const text of numbers(3)) say(away, text);
  expect(await away.close(300)).toBe(false);
  expect(problems).toEqual([expect.stringContaining("No Plimsoll answers")]);
  expect(spoolFiles()).toHaveLength(1);
  const program = `
    import { Recorder } from ${JSON.stringify(join(import.meta.dirname, "event-recorder.ts"))};
    const recorder = new Recorder({ url: "http://127.0.0.1:9", token: "t", spool: ${JSON.stringify(spool)}, session: { id: "run" } });
    for (let i = 3; i < 6; i++) recorder.record({ record: "event", startsTurn: true, body: { type: "user", text: "message " + i } });
    setTimeout(() => process.kill(process.pid, "SIGKILL"), 300);`;
  expect(spawnSync(process.execPath, ["--input-type=module", "-e", program]).signal).toBe("SIGKILL");
  expect(spoolFiles()).toHaveLength(2);
  await withServer(
    async (server) => {
      // Another address has a folder of its own: the same files, as if Plimsoll had come back there.
      const { renameSync } = await import("node:fs");
      renameSync(join(spool, "127.0.0.1_9"), join(spool, new URL(server.url).host.replace(":", "_")));
      const recorder = recorderOf(server.url, server.tokens.write);
      say(recorder, "message 6");
      expect(await recorder.close()).toBe(true);
      expect((await textsOf(server)).toSorted()).toEqual(numbers(7));
      expect(spoolFiles()).toEqual([]);
    },
    { dir: archive },
  );
});

test("a server that is killed and started again has every record once, in order", async () => {
  const archive = join(dir, "archive");
  const count = 12_000;
  let at = 0;
  let recorder: Recorder | null = null;
  let current: TestServer | null = null;
  // One address for both servers, as a person's is: what is sent goes to whichever runs.
  const forward: typeof fetch = (url, init) => {
    if (current === null) return Promise.reject(new TypeError("fetch failed"));
    const headers = { ...(init!.headers as Record<string, string>), authorization: `Bearer ${current.tokens.write}` };
    return fetch(current.url + new URL(String(url)).pathname, { ...init, headers });
  };
  const produce = async (to: number): Promise<void> => {
    while (at < to) {
      for (let i = 0; i < 200 && at < to; i++) say(recorder!, `message ${at++}`);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  recorder = recorderOf("http://127.0.0.1:4567", "any", { fetch: forward });
  await withServer(
    async (server) => {
      current = server;
      await produce(count / 3);
      await server.kill();
      current = null;
      await produce((2 * count) / 3);
    },
    { dir: archive },
  );
  await withServer(
    async (server) => {
      current = server;
      await produce(count);
      expect(await recorder!.close(30_000)).toBe(true);
      expect(await textsOf(server)).toEqual(numbers(count));
    },
    { dir: archive },
  );
}, 60_000);

test("a connection that is cut behind the commit: the same request comes again, and nothing is stored twice", () =>
  withServer(async (server) => {
    const cut = await cuttingProxy(server.url);
    try {
      const recorder = recorderOf(cut.url, server.tokens.write);
      for (const text of numbers(3)) say(recorder, text);
      const tells = { ...NO_TOKENS, inputUncached: 7, origin: "reported" } as const;
      recorder.record({ record: "call", key: "m1", model: "claude-sonnet-4-5", usage: tells });
      await cut.isCut;
      // What comes meanwhile waits for its own request.
      say(recorder, "message 3");
      expect(await recorder.close()).toBe(true);
      const [first, again, ...rest] = cut.requests;
      expect(first!.key).toMatch(/^[0-9a-f-]{36}$/);
      expect(again).toEqual(first);
      expect(cut.isReplayed).toBe(true);
      expect(rest.map(({ key }) => key === first!.key)).toEqual([false]);
      expect(await textsOf(server)).toEqual(numbers(4));
      const session = new Plimsoll({ url: server.url, token: server.tokens.write }).session("plimsoll:run");
      expect((await session.load()).calls).toHaveLength(1);
      expect(spoolFiles()).toEqual([]);
    } finally {
      cut.close();
    }
  }));

const NO_TOKENS = { inputUncached: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };

/** In front of a server: what the first request with events did is durable, and its answer never arrives. */
async function cuttingProxy(to: string) {
  const requests: { readonly key: string | undefined; readonly body: string }[] = [];
  const { promise: isCut, resolve: cut } = Promise.withResolvers<void>();
  const proxy = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const { "idempotency-key": key, authorization, "content-type": type } = request.headers as Record<string, string>;
    const headers = { authorization: authorization!, "content-type": type!, ...(key && { "idempotency-key": key }) };
    const answer = await fetch(to + request.url, { method: "POST", headers, body });
    const text = await answer.text();
    if (request.url!.endsWith("/events")) {
      requests.push({ key, body: body.toString() });
      if (requests.length === 1) {
        cut();
        return request.socket.destroy();
      }
      state.isReplayed ||= answer.headers.get("idempotency-replayed") === "true";
    }
    response.writeHead(answer.status, { "content-type": "application/json" }).end(text);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const state = { url, requests, isCut, isReplayed: false, close: () => proxy.close() };
  return state;
}

test("a record that is refused stands in nobody's way, and a token that is refused loses nothing", () =>
  withServer(async (server) => {
    const denied = recorderOf(server.url, server.tokens.read);
    say(denied, "message 0");
    expect(await denied.close(400)).toBe(false);
    expect(denied.stats.refused).toBe(0);
    const recorder = recorderOf(server.url, server.tokens.write);
    // What waited because of the token comes first.
    for (const text of numbers(5).slice(1, 3)) say(recorder, text);
    recorder.record({ record: "event", body: { type: "no such type" } as never });
    for (const text of numbers(5).slice(3)) say(recorder, text);
    expect(await recorder.close()).toBe(true);
    expect(recorder.stats.refused).toBe(1);
    const refused = spoolFiles().find((name) => name.endsWith("refused.jsonl"))!;
    expect(readFileSync(join(spool, refused), "utf8")).toContain("no such type");
    expect(await textsOf(server)).toEqual(numbers(5));
    expect(spoolFiles()).toEqual([refused]);
  }));
