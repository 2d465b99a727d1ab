// What is recorded: every byte of every request, once, in files of conversations.
import { execFileSync, spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { CapturedExchange } from "#lib/kernel/captured-record.ts";
import { COPY_BYTES, sharedEnds } from "./byte-copy.ts";
import { CaptureFiles, captureFolder } from "./capture-files.ts";
import { runningProxies } from "./proxy-status.ts";
import { startProxy } from "./start-proxy.ts";
import { ByteCopy } from "./byte-copy.ts";
import { bytesOf, messageEvents, withProxy, type TestProxy } from "./testing-proxy.ts";

const answering =
  (text = "Yes.") =>
  (request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse): void =>
    void request.resume().on("end", () => response.end(messageEvents("msg_1", text).join("")));

const ask = async ({ send }: TestProxy, body: unknown, headers = {}): Promise<void> =>
  void (await bytesOf(await send("/anthropic/v1/messages", { body: JSON.stringify(body), headers })));

/** The bytes of each request, put together as a reader does. */
function whole(exchanges: readonly CapturedExchange[]): Buffer[] {
  const made: Buffer[] = [];
  for (const { exchange, request } of exchanges) {
    const { base, head, tail, text, base64, sha256 } = request!;
    const before = base === null ? Buffer.alloc(0) : made[base - 1]!;
    const middle = Buffer.from(text, base64 === true ? "base64" : "utf8");
    const bytes = Buffer.concat([before.subarray(0, head), middle, before.subarray(before.length - tail)]);
    expect(hash("sha256", bytes, "hex")).toBe(sha256);
    made[exchange - 1] = bytes;
  }
  return made;
}

test("shared ends never overlap, and the middle is all that differs", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 40 }), (a, b) => {
      const [before, now] = [Buffer.from(a), Buffer.from(b)];
      const { head, tail } = sharedEnds(before, now);
      expect(head + tail).toBeLessThanOrEqual(Math.min(before.length, now.length));
      const made = [
        before.subarray(0, head),
        now.subarray(head, now.length - tail),
        before.subarray(before.length - tail),
      ];
      expect(Buffer.concat(made)).toEqual(now);
    }),
  );
});

test("a conversation of fifty calls is one file, byte for byte, and grows as its messages do", async () => {
  const messages: unknown[] = [];
  const bodies: string[] = [];
  await withProxy(answering(), async (given) => {
    for (let i = 0; i < 50; i++) {
      messages.push({ role: "user", content: `Ask ${i} ☂ ${"x".repeat(2000)}` });
      const body = { model: "m", system: "Be brief.", tools: [{ name: "Read", input_schema: {} }], messages };
      bodies.push(JSON.stringify(body));
      await ask(given, body);
      messages.push({ role: "assistant", content: [{ type: "text", text: "Yes." }] });
    }
    const exchanges = await given.exchanges();
    expect(whole(exchanges).map(String)).toEqual(bodies);
    expect(exchanges.map(({ messages: added }) => added.length)).toEqual(Array(50).fill(1));
    expect(exchanges.map(({ newParts }) => newParts.length)).toEqual([2, ...Array<number>(49).fill(0)]);
    // 50 messages of 2 kB and two requests that are written whole: without what is shared it would be 2.6 MB.
    expect(given.written().length).toBeLessThan(600_000);
  });
});

test("another conversation is another file; a named session is its own, whatever its messages", async () => {
  await withProxy(answering(), async (given) => {
    const say = (text: string) => ({ model: "m", messages: [{ role: "user", content: text }] });
    await ask(given, say("One"));
    await ask(given, say("Two"));
    const named = { "x-claude-code-session-id": "11111111-1111-4111-8111-111111111111" };
    await ask(given, say("Three"), named);
    await ask(given, say("Four"), named);
    const exchanges = await given.exchanges();
    expect(exchanges.map(({ exchange }) => exchange).toSorted()).toEqual([1, 1, 1, 2]);
    const own = exchanges.filter(({ headers }) => "x-claude-code-session-id" in headers);
    // What the agent's own file has is not written again.
    expect(own.map(({ messages }) => messages)).toEqual([[], []]);
  });
});

test("a file that is removed meanwhile is begun again, with a whole request", async () => {
  await withProxy(answering(), async (given) => {
    const named = { "x-claude-code-session-id": "11111111-1111-4111-8111-111111111111" };
    const say = (text: string) => ask(given, { model: "m", messages: [{ role: "user", content: text }] }, named);
    await say("One");
    await expect.poll(() => given.proxy.counts.exchanges).toBe(1);
    rmSync(captureFolder(given.dir), { recursive: true });
    mkdirSync(captureFolder(given.dir));
    await say("Two");
    const exchanges = await given.exchanges();
    expect(exchanges.map(({ exchange, request }) => [exchange, request?.base])).toEqual([[1, null]]);
    expect(given.proxy.counts.lost).toBe(0);
  });
});

test("two proxies that record one session number its exchanges on, and each request can be put together", async () => {
  const named = { "x-claude-code-session-id": "11111111-1111-4111-8111-111111111111" };
  await withProxy(answering(), async (given) => {
    const upstream = `http://127.0.0.1:${given.provider}`;
    const other = await startProxy({
      archiveDir: given.dir,
      upstreams: { anthropic: upstream, openai: upstream, gemini: upstream },
      port: 0,
      command: null,
      onLoss: () => undefined,
    });
    const ports = [given.port, other.port, given.port, other.port, given.port];
    for (const [n, port] of ports.entries()) {
      const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: `${n} ${"tide ".repeat(500)}` }] });
      await bytesOf(await given.send("/anthropic/v1/messages", { body, headers: named, port }));
      await expect.poll(() => given.proxy.counts.exchanges + other.counts.exchanges).toBe(n + 1);
    }
    await other.close();
    const exchanges = await given.exchanges();
    expect(exchanges.map(({ exchange }) => exchange)).toEqual([1, 2, 3, 4, 5]);
    expect(whole(exchanges)).toHaveLength(5);
  });
});

test("a body over the cap passes, and its record says that it was cut", async () => {
  const large = JSON.stringify({ model: "m", messages: [{ role: "user", content: "x".repeat(COPY_BYTES) }] });
  let arrived = 0;
  await withProxy(
    (request, response) =>
      void request.on("data", (chunk: Buffer) => (arrived += chunk.length)).on("end", () => response.end("{}")),
    async (given) => {
      await bytesOf(await given.send("/anthropic/v1/messages", { body: large }));
      expect(arrived).toBe(large.length);
      const [one] = await given.exchanges();
      expect(one).toMatchObject({ request: null, notes: ["The request was over 16 MB and was not recorded."] });
      expect(given.proxy.counts).toMatchObject({ exchanges: 1, cut: 1, lost: 0 });
    },
  );
});

test("files and folder are the person's own, and the status is gone with the proxy", async () => {
  await withProxy(answering(), async (given) => {
    await ask(given, { messages: [{ role: "user", content: "One" }] });
    await expect.poll(() => runningProxies(given.dir)).toMatchObject([{ port: given.port, exchanges: 1, lost: 0 }]);
    const folder = captureFolder(given.dir);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    await given.exchanges();
    expect(runningProxies(given.dir)).toEqual([]);
  });
});

test("on a full disk requests pass, no half line stays, and the loss is reported once", async (context) => {
  const base = mkdtempSync(join(tmpdir(), "plimsoll-full-"));
  const disk = join(base, "disk");
  mkdirSync(disk);
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", disk]).status !== 0)
    return context.skip("A small disk cannot be mounted here: that takes root.");
  try {
    const files = new CaptureFiles(disk);
    const exchange = (text: string) => ({
      provider: "anthropic" as const,
      api: "messages" as const,
      method: "POST",
      path: "/v1/messages",
      at: 1,
      firstByteMs: 1,
      totalMs: 2,
      requestHeaders: { "x-claude-code-session-id": "11111111-1111-4111-8111-111111111111" },
      request: copyOf(JSON.stringify({ messages: [{ role: "user", content: text }] })),
      status: 200,
      answerHeaders: {},
      answer: copyOf("{}"),
      ended: null,
    });
    await files.add(exchange("small"));
    const { size } = statSync(
      join(captureFolder(disk), "claude-code-11111111-1111-4111-8111-111111111111.captured.jsonl"),
    );
    await files.add(exchange("y".repeat(100_000)));
    expect(files.counts).toMatchObject({ exchanges: 1, lost: 1, lastLoss: "ENOSPC" });
    await files.add(exchange("small again"));
    await files.close();
    expect(files.counts).toMatchObject({ exchanges: 2, lost: 1 });
    const text = execFileSync(
      "cat",
      [join(captureFolder(disk), "claude-code-11111111-1111-4111-8111-111111111111.captured.jsonl")],
      { encoding: "utf8" },
    );
    expect(text.length).toBeGreaterThan(size);
    for (const line of text.trimEnd().split("\n")) expect(() => JSON.parse(line) as unknown).not.toThrow();
  } finally {
    execFileSync("umount", ["-l", disk]);
    rmSync(base, { recursive: true, force: true });
  }
});

function copyOf(text: string): ByteCopy {
  const copy = new ByteCopy();
  copy.add(Buffer.from(text));
  return copy;
}

test("a proxy that starts again goes on with a session's file, also behind a line that was cut off", async () => {
  const dir = mkdtempSync(join(tmpdir(), "plimsoll-again-"));
  const path = join(captureFolder(dir), "claude-code-11111111-1111-4111-8111-111111111111.captured.jsonl");
  try {
    const { startProxy } = await import("./start-proxy.ts");
    const { send } = await import("./testing-proxy.ts");
    await withProxy(answering(), async ({ provider }) => {
      for (let run = 0; run < 2; run++) {
        const url = `http://127.0.0.1:${provider}`;
        const upstreams = { anthropic: url, openai: url, gemini: url };
        const proxy = await startProxy({ archiveDir: dir, upstreams, port: 0, command: null, onLoss: () => undefined });
        const headers = { "x-claude-code-session-id": "11111111-1111-4111-8111-111111111111" };
        const body = JSON.stringify({ messages: [{ role: "user", content: `Run ${run}` }] });
        await bytesOf(await send(proxy.port, "/anthropic/v1/messages", { body, headers }));
        await proxy.close();
        // Killed while it wrote the next one.
        if (run === 0) appendFileSync(path, '{"exchange":2,"at":17');
      }
    });
    const numbers = execFileSync("cat", [path], { encoding: "utf8" })
      .trimEnd()
      .split("\n")
      .map((line) => (line.endsWith("}") ? (JSON.parse(line) as { exchange?: number }).exchange : "cut"));
    expect(numbers).toEqual([undefined, 1, "cut", 3]);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
