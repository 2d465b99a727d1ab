// Every door of the real server, over real sessions: what it answers is what lib/wire says, bytes are the bytes.
import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import type { z } from "zod";
import { artifactsAnswer, artifactView, linesAnswer } from "../lib/wire/artifacts-schema.ts";
import { eventsAnswer, eventView, findAnswer, outlineAnswer, toolsAnswer } from "../lib/wire/events-schema.ts";
import { loadAnswer } from "../lib/wire/load-schema.ts";
import { heavyOutput, sessionsAnswer, sessionSummary } from "../lib/wire/sessions-schema.ts";
import { change, problemsAnswer, sourcesAnswer } from "../lib/wire/sources-schema.ts";
import { filler, sampleId, sampleLines, writeSample } from "./sample-sessions.ts";
import type { Sample } from "./sample-sessions.ts";
import { startServer } from "./test-server.ts";
import type { TestServer } from "./test-server.ts";

const sample: Sample = {
  id: sampleId(7),
  prompt: "Where does the tide table come from?",
  calls: [
    { tool: "Read", input: { file_path: "/home/sailor/harbour/tides.csv" }, output: filler(20_000), prompt: 12_000 },
    { tool: "Bash", input: { command: "wc -l tides.csv" }, output: "400 tides.csv", prompt: 18_000 },
  ],
};

let server: TestServer;
let dir = "";
let file = "";
let session = "";

test.beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "plimsoll-doors-"));
  mkdirSync(join(dir, "projects"));
  file = writeSample(join(dir, "projects"), sample);
  server = await startServer({ sources: [join(dir, "projects")] });
  await expect.poll(async () => (await ask("/api/sessions", sessionsAnswer)).total).toBe(1);
  session = (await ask("/api/sessions", sessionsAnswer)).sessions[0]?.id ?? "";
});
test.afterAll(async () => {
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** The answer of a door, checked by its schema. */
async function ask<T>(path: string, schema: z.ZodType<T>): Promise<T> {
  const response = await server.ask("GET", path);
  const text = await response.text();
  expect(response.status, `${path}: ${text.slice(0, 300)}`).toBe(200);
  expect(response.headers.get("cache-control")).toBe("no-store");
  return schema.parse(JSON.parse(text));
}

async function bytesOf(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Buffer> {
  const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${server.token}`, ...headers } });
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(response.headers.get("content-length")).toBe(String(bytes.length));
  return bytes;
}

test("what a session's doors answer is what lib/wire says", async () => {
  const summary = await ask(`/api/sessions/${session}`, sessionSummary);
  expect(summary).toMatchObject({ id: session, format: "claude-code", toolCalls: 2, artifacts: 1 });
  const { events } = await ask(`/api/sessions/${session}/events?limit=500`, eventsAnswer);
  expect(events.map((event) => event.seq)).toEqual(events.map((_, i) => i + 1));
  const first = await ask(`/api/sessions/${session}/events/1`, eventView);
  expect(first.text).toContain("tide table");
  expect((await ask(`/api/sessions/${session}/outline`, outlineAnswer)).seq.length).toBeGreaterThan(2);
  expect((await ask(`/api/sessions/${session}/find?q=tide`, findAnswer)).seqs).toContain(1);
  const load = await ask(`/api/sessions/${session}/load`, loadAnswer);
  for (const call of load.calls) expect(call.stack.reduce((sum, tokens) => sum + tokens, 0)).toBe(call.prompt);
  const [heaviest] = await ask(`/api/sessions/${session}/heaviest`, heavyOutput.array());
  expect(heaviest).toMatchObject({ toolName: "Read", bytes: 20_000 });
  expect((await ask(`/api/sessions/${session}/tools`, toolsAnswer)).interactions).toHaveLength(2);
  expect((await ask(`/api/sessions/${session}/artifacts`, artifactsAnswer)).total).toBe(1);
});

test("an artifact is its bytes: whole, in a range, in lines, by its tag", async () => {
  const { artifacts } = await ask("/api/artifacts", artifactsAnswer);
  const [row] = artifacts;
  if (!row) throw new Error("The sample has one artifact.");
  const path = `/api/artifacts/${encodeURIComponent(row.pointer)}`;
  const view = await ask(path, artifactView);
  const whole = await bytesOf(`${path}/raw`);
  const output = sample.calls[0]?.output ?? "";
  expect(whole.toString()).toBe(output);
  expect(createHash("sha256").update(whole).digest("hex")).toBe(view.digest);
  expect((await bytesOf(`${path}/raw`, { range: "bytes=100-199" })).equals(whole.subarray(100, 200))).toBe(true);
  const lines = await ask(`${path}/lines?from=1&count=3`, linesAnswer);
  expect(lines.lines[0]?.text).toBe(output.split("\n")[0]?.slice(0, 4000));
  const tagged = await fetch(server.url + path + "/raw", {
    headers: { authorization: `Bearer ${server.token}`, "if-none-match": `"${view.digest}"` },
  });
  expect(tagged.status).toBe(304);
});

test("the record of an event and the whole source come back byte for byte", async () => {
  expect((await bytesOf(`/api/sources/raw?path=${encodeURIComponent(file)}`)).equals(readFileSync(file))).toBe(true);
  const record = (await bytesOf(`/api/sessions/${session}/events/1/raw`)).toString();
  expect(record.trimEnd()).toBe(sampleLines(sample)[0]?.trimEnd());
});

test("sources are listed, a dropped file is imported, and bad words are refused with a sentence", async () => {
  const sources = await ask("/api/sources", sourcesAnswer);
  expect(sources.roots.map((root) => root.path)).toEqual([join(dir, "projects")]);
  await ask("/api/sources/problems", problemsAnswer);
  const dropped = sampleLines({ ...sample, id: sampleId(8), prompt: "A dropped one." }).join("");
  const response = await fetch(`${server.url}/api/upload?name=${sampleId(8)}.jsonl`, {
    method: "PUT",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/octet-stream" },
    body: dropped,
  });
  expect(response.status).toBe(202);
  await expect.poll(async () => (await ask("/api/sessions?q=dropped", sessionsAnswer)).total).toBe(1);

  for (const path of [
    "/api/sessions?limit=0",
    "/api/sessions?sort=1;drop",
    `/api/sessions/${session}/events?from=x`,
    "/api/sources/raw",
  ]) {
    const refused = await server.ask("GET", path);
    expect(refused.status, path).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { code: "invalid" } });
  }
  for (const path of [
    "/api/sessions/s_ffffffffffffffff",
    `/api/sessions/${session}/events/99999`,
    "/api/artifacts/art:00000000-0000-4000-8000-000000000000/raw",
  ]) {
    const absent = await server.ask("GET", path);
    expect(absent.status, path).toBe(404);
    expect(await absent.json()).toMatchObject({ error: { code: "not_found" } });
  }
  expect((await server.ask("POST", "/api/commands/nothing", {})).status).toBe(422);
  expect((await server.ask("POST", "/api/imports", { paths: [] })).status).toBe(400);
});

test("a line written to a running session is told to the pages within two seconds", async () => {
  const id = sampleId(9);
  const [first = "", ...more] = sampleLines({ ...sample, id, prompt: "A running one." });
  const path = writeSample(join(dir, "projects"), { ...sample, id, prompt: "A running one." });
  await expect.poll(async () => (await ask("/api/sessions?q=running", sessionsAnswer)).total).toBe(1);
  const running = (await ask("/api/sessions?q=running", sessionsAnswer)).sessions[0]?.id ?? "";

  const stop = new AbortController();
  const stream = await fetch(`${server.url}/api/changes`, {
    headers: { authorization: `Bearer ${server.token}` },
    signal: stop.signal,
  });
  const result = heard(stream, (one) => one.type === "session" && one.id === running);
  const line = JSON.parse(first) as Record<string, unknown>;
  const last = JSON.parse(more.at(-1) ?? "{}") as { uuid?: string };
  const added = { ...line, uuid: sampleId(99), parentUuid: last.uuid, message: { role: "user", content: "One more." } };
  const startedAt = Date.now();
  appendFileSync(path, `${JSON.stringify(added)}\n`);
  await result;
  expect(Date.now() - startedAt).toBeLessThan(2000);
  stop.abort();
  expect((await ask(`/api/sessions/${running}/find?q=more`, findAnswer)).total).toBe(1);
});

/** Resolves at the first change that is meant. */
async function heard(stream: Response, isMeant: (one: z.infer<typeof change>) => boolean): Promise<void> {
  let text = "";
  for await (const chunk of stream.body ?? []) {
    text += Buffer.from(chunk).toString("utf8");
    const messages = text.split("\n\n");
    text = messages.pop() ?? "";
    for (const message of messages) {
      const result = /^data: (.*)$/m.exec(message)?.[1];
      if (result !== undefined && isMeant(change.parse(JSON.parse(result)))) return;
    }
  }
  throw new Error("The stream ended before it was told.");
}
