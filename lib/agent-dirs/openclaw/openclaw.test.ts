import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { crashAt } from "../testing-crash.ts";
import { contentHash, summaryOfContent } from "./artifact.ts";
import { migrateSession } from "./migrate-session.ts";
import { appendEntries, findByHash, findById, readRegistry } from "./artifact-registry.ts";
import { rehydrate, rehydrateMessage } from "./rehydrate.ts";

const STRIDE = Number(process.env["PLIMSOLL_CRASH_STRIDE"] ?? 4);
const NOW = Date.UTC(2026, 0, 1);
const host = { now: () => NOW };
let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "plimsoll-openclaw-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const header = {
  type: "session",
  version: 2,
  id: "session-1",
  timestamp: "2026-01-01T00:00:00.000Z",
  cwd: "/home/ada",
};
const result = (text: string, more: object = {}) => ({
  type: "message",
  id: "m1",
  timestamp: "2026-01-01T00:00:01.000Z",
  message: {
    role: "toolResult",
    toolCallId: "call-1",
    toolName: "exec",
    content: [{ type: "text", text }],
    isError: false,
    ...more,
  },
});
const user = '{"type":"message",  "message":{"role":"user","content":"h\\u0069","n":12345678901234567890}}';

const file = (): string => join(dir, "session.jsonl");
const artifacts = (): string => join(dir, "artifacts");
const write = (...lines: readonly (object | string)[]): void =>
  writeFileSync(file(), lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
const lines = (): string[] => readFileSync(file(), "utf8").split("\n");
const messageOf = (line: number) =>
  (JSON.parse(lines()[line]!) as ReturnType<typeof result>).message as unknown as Message;
type Message = { content: { text: string }[]; details: { artifactRef: { id: string; hash: string; path: string } } };
const migrate = (sessionKey?: string) =>
  migrateSession({ sessionFile: file(), host, ...(sessionKey && { sessionKey }) });
const leftovers = (): string[] => readdirSync(dir).filter((name) => !["session.jsonl", "artifacts"].includes(name));

describe("the registry of artifacts", () => {
  const entry = (id: string, content: unknown) => ({
    hash: contentHash(content),
    artifact: {
      id,
      type: "tool-result" as const,
      createdAt: "2026-01-01T00:00:00.000Z",
      sizeBytes: 3,
      summary: "s",
      path: `${id}.json`,
    },
  });

  test("the same content has the same hash, and an entry is found by hash and by id", async () => {
    const hash = contentHash({ foo: "bar" });
    expect(contentHash({ foo: "bar" })).toBe(hash);
    mkdirSync(artifacts());
    await appendEntries(artifacts(), [entry("art_1", { foo: "bar" })]);
    const registry = await readRegistry(artifacts());
    expect(registry.entries).toHaveLength(1);
    expect([findByHash(registry, hash)?.artifact.id, findById(registry, "art_1")?.hash]).toEqual(["art_1", hash]);
    expect([findByHash(registry, contentHash(1)), findById(registry, "art_2")]).toEqual([null, null]);
  });

  test("of several entries the newest is found, and a folder without a registry has none", async () => {
    expect(await readRegistry(artifacts())).toEqual({ entries: [], bad: [] });
    mkdirSync(artifacts());
    await appendEntries(artifacts(), [entry("art_1", "a"), entry("art_2", "a")]);
    await appendEntries(artifacts(), [entry("art_1", "b")]);
    const registry = await readRegistry(artifacts());
    expect(findByHash(registry, contentHash("a"))?.artifact.id).toBe("art_2");
    expect(findById(registry, "art_1")?.hash).toBe(contentHash("b"));
  });

  test("a malformed line is skipped and reported with its file and number, and the others count", async () => {
    mkdirSync(artifacts());
    await appendEntries(artifacts(), [entry("art_1", 1), entry("art_2", 2)]);
    const path = join(artifacts(), "registry.jsonl");
    const [first, second] = readFileSync(path, "utf8").split("\n");
    writeFileSync(path, `${first}\n{"hash":\n{"hash":"x"}\n${second}\n{"torn`);
    await appendEntries(artifacts(), [entry("art_3", 3)]);
    const { entries, bad } = await readRegistry(artifacts());
    expect(entries.map(({ artifact }) => artifact.id)).toEqual(["art_1", "art_2", "art_3"]);
    expect(bad).toEqual([
      { file: path, line: 2, reason: "it is not JSON" },
      { file: path, line: 3, reason: "it is not an entry of an artifact registry" },
      { file: path, line: 5, reason: "it is not JSON" },
    ]);
  });

  test("a summary is the text of the blocks, with images counted", () => {
    expect(summaryOfContent([{ type: "text", text: "a\n b" }, { type: "image" }, { type: "image" }])).toBe(
      "a b (2 images)",
    );
    expect(summaryOfContent([{ type: "text", text: "x".repeat(201) }])).toBe(`${"x".repeat(200)}…`);
    expect([summaryOfContent([]), summaryOfContent([null]), summaryOfContent("  ")]).toEqual(
      Array(3).fill("tool result"),
    );
  });
});

describe("migrating a transcript", () => {
  test("an inline result becomes a reference: version 3, a placeholder, a registry line with the session's key", async () => {
    write(header, result("legacy output"));
    const report = await migrate("agent:main");
    expect(report).toEqual({
      migrated: true,
      createdArtifacts: 1,
      updatedEntries: 1,
      backupPath: `${file()}.bak-${process.pid}-${NOW}`,
    });
    expect(JSON.parse(lines()[0]!)).toEqual({ ...header, version: 3 });
    const message = messageOf(1);
    expect(message.details).toEqual({
      artifactRef: {
        id: expect.stringMatching(/^art_[0-9a-f]{16}$/),
        type: "tool-result",
        toolName: "exec",
        createdAt: "2026-01-01T00:00:01.000Z",
        sizeBytes: 13,
        summary: "legacy output",
        path: `${message.details.artifactRef.id}.json`,
        hash: contentHash([{ type: "text", text: "legacy output" }]),
      },
      artifactVersion: 1,
    });
    expect(message.content[0]!.text.split("\n")[0]).toBe("[Tool result omitted: stored as artifact]");
    expect(message).toMatchObject({ toolCallId: "call-1", isError: false, toolName: "exec" });
    const { entries } = await readRegistry(artifacts());
    expect(entries).toMatchObject([{ sessionKey: "agent:main", sessionId: "session-1" }]);
  });

  test("artifacts lie in the folder of that name beside the transcript, with the fields of the original", async () => {
    const sessions = join(dir, ".openclaw", "agents", "main", "sessions");
    mkdirSync(sessions, { recursive: true });
    const path = join(sessions, "session.jsonl");
    const inline = result("legacy output");
    writeFileSync(path, `${JSON.stringify(header)}\n${JSON.stringify(inline)}\n`);
    await migrateSession({ sessionFile: path, host });
    const { entries } = await readRegistry(join(sessions, "artifacts"));
    const { artifact } = entries[0]!;
    expect(Object.keys(entries[0]!)).toEqual(["hash", "artifact", "sessionId"]);
    expect(JSON.parse(readFileSync(join(sessions, "artifacts", `${artifact.id}.json`), "utf8"))).toEqual({
      id: artifact.id,
      type: "tool-result",
      toolName: "exec",
      createdAt: "2026-01-01T00:00:01.000Z",
      sizeBytes: 13,
      summary: "legacy output",
      content: inline.message.content,
    });
  });

  test("a second run says that it is migrated already, and changes nothing", async () => {
    write(header, result("legacy output"), user);
    await migrate();
    const before = [readFileSync(file()), readdirSync(dir), readFileSync(join(artifacts(), "registry.jsonl"))];
    expect(await migrate()).toEqual({
      migrated: false,
      createdArtifacts: 0,
      updatedEntries: 0,
      reason: "already migrated",
    });
    expect([readFileSync(file()), readdirSync(dir), readFileSync(join(artifacts(), "registry.jsonl"))]).toEqual(before);
  });

  test.each([
    ["a file that is not there", "missing session file", null],
    ["an empty file", "empty session file", ""],
    ["a file of blank lines", "empty session file", "\n \n"],
    ["a torn line", "invalid jsonl line", `${JSON.stringify(header)}\n{"torn`],
    ["a first line that is no header", "invalid session header", `${user}\n`],
    ["a first line that is no object", "invalid session header", "[]\n"],
    ["a migrated file", "already migrated", `${JSON.stringify({ ...header, version: 3 })}\n${user}\n`],
  ])("%s is refused as '%s', and nothing is touched", async (_, reason, content) => {
    if (content !== null) writeFileSync(file(), content);
    expect(await migrate()).toMatchObject({ migrated: false, createdArtifacts: 0, reason });
    expect(readdirSync(dir)).toEqual(content === null ? [] : ["session.jsonl"]);
    if (content !== null) expect(readFileSync(file(), "utf8")).toBe(content);
  });

  test("what fails is told, and the transcript stays as it was", async () => {
    write(header, result("x"));
    const before = readFileSync(file());
    writeFileSync(artifacts(), "a file where the folder should be");
    expect((await migrate()).reason).toMatch(/^migration failed: /);
    expect([readFileSync(file()).equals(before), leftovers()]).toEqual([true, []]);
    rmSync(file());
    symlinkSync("/etc/hostname", file());
    expect((await migrate()).reason).toMatch(/^migration failed: .* is a symbolic link/);
    rmSync(file());
    expect(spawnSync("mkfifo", [file()]).status).toBe(0);
    expect((await migrate()).reason).toMatch(/^migration failed: .* is not a regular file/);
  });

  test("untouched lines keep every byte, and of a changed line only content and details change", async () => {
    const odd = `{ "type":"message" ,"big":12345678901234567890, "message": {"content" : [{"type":"text","text":"\\u0041"}], "role":"toolResult","details":{"exitCode":1e400} }}\r`;
    write(JSON.stringify(header), user, odd, "", user);
    await migrate();
    const [first, second, third, fourth, fifth] = lines();
    expect(first).toBe(JSON.stringify({ ...header, version: 3 }));
    expect([second, fourth, fifth]).toEqual([user, "", user]);
    expect(third).toMatch(
      /^\{ "type":"message" ,"big":12345678901234567890, "message": \{"content" : \[\{"type":"text","text":"\[Tool result omitted: [^"]*"\}\], "role":"toolResult","details":\{"exitCode":1e400,"artifactRef":\{.*\},"artifactVersion":1\} \}\}\r$/,
    );
    expect(readFileSync(`${file()}.bak-${process.pid}-${NOW}`, "utf8")).toContain(odd);
    const { id } = messageOf(2).details.artifactRef;
    expect(readFileSync(join(artifacts(), `${id}.json`), "utf8")).toContain(
      '"content":[{"type":"text","text":"\\u0041"}]}',
    );
  });

  test("whatever a transcript holds, other fields survive and rehydrating gives the content back", async () => {
    const content = fc.oneof(fc.array(fc.jsonValue(), { maxLength: 3 }), fc.string());
    const details = fc.oneof(fc.constant(undefined), fc.jsonValue());
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(content, details, fc.boolean()), { maxLength: 4 }), async (messages) => {
        const path = join(dir, `run-${run++}.jsonl`);
        const originals = messages.map(([content, details, isError]) => ({
          ...result(""),
          message: { ...result("").message, content, details, isError },
        }));
        const text = [header, ...originals].map((entry) => `${JSON.stringify(entry)}\n`).join("");
        writeFileSync(path, text);
        const report = await migrateSession({ sessionFile: path, artifactsDir: artifacts(), host });
        expect(report).toMatchObject({ migrated: true, updatedEntries: messages.length });
        const [, ...migrated] = readFileSync(path, "utf8").trimEnd().split("\n");
        for (const [i, line] of migrated.entries()) {
          const entry = JSON.parse(line) as (typeof originals)[number];
          const original = JSON.parse(JSON.stringify(originals[i])) as typeof entry;
          const back = await rehydrateMessage(entry.message, { artifactsDir: artifacts() });
          expect({ ...back, details: 0 }).toEqual({ ...original.message, details: 0 });
          const kept = original.message.details;
          if (typeof kept === "object" && kept !== null && !Array.isArray(kept))
            expect(back.details).toMatchObject(kept);
          else if (kept !== undefined && kept !== null) expect(back.details).toMatchObject({ original: kept });
        }
        expect(await migrateSession({ sessionFile: path, artifactsDir: artifacts(), host })).toMatchObject({
          reason: "already migrated",
        });
      }),
      { numRuns: 40 },
    );
  });

  test("equal results share one artifact, also across transcripts", async () => {
    write(header, result("same"), result("same", { toolName: "read" }), result("other"));
    expect(await migrate()).toMatchObject({ createdArtifacts: 2, updatedEntries: 3 });
    expect(messageOf(1).details.artifactRef.id).toBe(messageOf(2).details.artifactRef.id);
    write(header, result("same"));
    await migrateSession({ sessionFile: file(), host: { now: () => NOW + 5 } });
    expect((await readRegistry(artifacts())).entries).toHaveLength(2);
    expect(readdirSync(artifacts())).toHaveLength(3);
  });

  test("an error's placeholder says that it is one, and shows its end", async () => {
    const text = `${"x".repeat(5000)}\nENOENT: no such file`;
    write(header, result(text, { isError: true }));
    await migrate();
    const said = messageOf(1).content[0]!.text.split("\n");
    expect(said.map((line) => line.split(":")[0])).toEqual([
      "[Tool result omitted",
      "id",
      "tool",
      "size",
      "created",
      "summary",
      "path",
      "is_error",
      "tail",
    ]);
    expect(said.at(-1)).toMatch(/x ENOENT: no such file$/);
    expect(said[5]).toBe(`summary: ${"x".repeat(200)}…`);
    expect(messageOf(1)).toMatchObject({ isError: true });
  });

  test("a placeholder without a reference is left alone: its path is never looked at", async () => {
    const placeholder = "[Tool result omitted: stored as artifact]\nid: art_0123456789abcdef\npath: /etc/passwd";
    write(header, result(placeholder));
    expect(await migrate()).toMatchObject({ migrated: true, createdArtifacts: 0 });
    expect(messageOf(1).content[0]!.text).toBe(placeholder);
    expect(existsSync(artifacts())).toBe(false);
  });

  test("a transcript that is written meanwhile is not replaced", async () => {
    write(header, result("x".repeat(100_000)));
    const migrating = migrate();
    const appending = setInterval(() => appendFileSync(file(), `${user}\n`), 0);
    const report = await migrating;
    clearInterval(appending);
    expect(report.reason).toMatch(/^migration failed: the session file changed/);
    expect(lines().length).toBeGreaterThan(3);
    expect(leftovers()).toEqual([]);
  });

  test("files are 0600 and folders 0700 whatever the umask, and the transcript keeps its mode", async () => {
    write(header, result("x"));
    chmodSync(file(), 0o640);
    const before = process.umask(0);
    try {
      const { backupPath } = await migrate();
      const { id } = messageOf(1).details.artifactRef;
      const modes = [
        artifacts(),
        join(artifacts(), "registry.jsonl"),
        join(artifacts(), `${id}.json`),
        file(),
        backupPath!,
      ];
      expect(modes.map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual([
        "700",
        "600",
        "600",
        "640",
        "640",
      ]);
    } finally {
      process.umask(before);
    }
  });

  test("nesting that a print cannot follow is migrated and rehydrated", async () => {
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    write(header, `{"type":"message","message":{"role":"toolResult","content":${deep}}}`);
    expect(await migrate()).toMatchObject({ migrated: true });
    const { artifactRef } = messageOf(1).details;
    expect(contentHash(await rehydrate(artifactRef, { artifactsDir: artifacts() }))).toBe(artifactRef.hash);
  });
});

describe("rehydrating", () => {
  const migrated = async () => {
    write(header, result("the content", { isError: true, details: { exitCode: 2 } }));
    await migrate();
    return messageOf(1);
  };

  test("the content comes back, with the call id, the error flag and the details", async () => {
    const message = await migrated();
    const back = await rehydrateMessage(message, { artifactsDir: artifacts() });
    expect(back).toEqual({ ...message, content: [{ type: "text", text: "the content" }] });
    expect(back).toMatchObject({ toolCallId: "call-1", isError: true, details: { exitCode: 2 } });
    const plain = { content: "as it is" };
    expect(await rehydrateMessage(plain, { artifactsDir: artifacts() })).toBe(plain);
  });

  test("a path in a reference is not followed", async () => {
    const message = await migrated();
    const { artifactRef } = message.details;
    const secret = join(dir, "secret.json");
    const content = [{ type: "text", text: "secret" }];
    writeFileSync(secret, JSON.stringify({ type: "tool-result", content }));
    const lying = { ...artifactRef, path: secret };
    expect(await rehydrate(lying, { artifactsDir: artifacts() })).toEqual([{ type: "text", text: "the content" }]);
    for (const id of ["../secret", "art_/../../secret", "art_..", "/etc/passwd", "art_\0"])
      await expect(rehydrate({ ...artifactRef, id }, { artifactsDir: artifacts() })).rejects.toMatchObject({
        code: "invalid",
      });
    const other = { ...artifactRef, hash: contentHash(content) };
    await expect(rehydrate(other, { artifactsDir: artifacts() })).rejects.toMatchObject({ code: "not_found" });
  });

  test("content that was changed, cut, removed or linked elsewhere is refused, and migrating again heals it", async () => {
    const message = await migrated();
    const { artifactRef } = message.details;
    const path = join(artifacts(), artifactRef.path);
    const whole = readFileSync(path, "utf8");
    const refused = () =>
      expect(rehydrate(artifactRef, { artifactsDir: artifacts() })).rejects.toMatchObject({ code: "not_found" });
    writeFileSync(path, whole.replaceAll("the content", "another one"));
    await refused();
    writeFileSync(path, whole.slice(0, 50));
    await refused();
    rmSync(path);
    await refused();
    symlinkSync("/etc/hostname", path);
    await refused();
    write(header, result("the content"));
    await migrateSession({ sessionFile: file(), host: { now: () => NOW + 9 } });
    expect(await rehydrate(artifactRef, { artifactsDir: artifacts() })).toEqual([
      { type: "text", text: "the content" },
    ]);
  });
});

describe("after a crash at any step of a migration", () => {
  const script = `
    const { migrateSession } = await import(MODULE);
    const report = await migrateSession({ sessionFile: process.argv[1], host: { now: () => ${NOW} } });
    say(JSON.stringify(report));`;

  test("the transcript is the old one or the new one, and a second run ends what the first began", async () => {
    const path = join(import.meta.dirname, "migrate-session.ts");
    let points = 0;
    let step = 1;
    for (; ; step += STRIDE) {
      rmSync(dir, { recursive: true });
      mkdirSync(dir);
      write(header, user, result("one"), result("two"), result("one"));
      const old = readFileSync(file(), "utf8");
      const crash = await crashAt(step, path, script, [file()]);
      if (crash.isThrough) break;
      points++;
      const left = readFileSync(file(), "utf8");
      const report = await migrate();
      expect(left === old ? report.migrated : report.reason).toBe(left === old ? true : "already migrated");
      expect(lines()[1]).toBe(user);
      const texts = [];
      for (const line of [2, 3, 4])
        texts.push((await rehydrateMessage(messageOf(line), { artifactsDir: artifacts() })).content[0]!.text);
      expect(texts).toEqual(["one", "two", "one"]);
      const { entries, bad } = await readRegistry(artifacts());
      expect(new Set(entries.map(({ hash }) => hash)).size).toBe(2);
      expect(bad).toEqual([]);
    }
    console.log(`migration: killed at ${points} of about ${step} steps`);
    expect(step).toBeGreaterThan(30);
  }, 900_000);
});
