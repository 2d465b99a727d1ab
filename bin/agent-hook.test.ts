// The program that agents start after a call of a tool: what it answers, what it stores, and that it lets pass whatever it cannot take.
import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { spooledFiles, spoolFolder, takeSpooled } from "#lib/archive/artifacts/output-spool.ts";
import { listArtifacts } from "#lib/archive/sessions/list-artifacts.ts";
import { listSessions } from "#lib/archive/sessions/list-sessions.ts";
import { saveHookPolicy } from "#lib/archive/settings/hook-policy.ts";
import { savePolicy } from "#lib/archive/settings/offload-policy.ts";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import { policyOf } from "#lib/kernel/artifacts/offload-presets.ts";
import { artifactsQuery } from "#lib/wire/artifacts-schema.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { watchSpool } from "./watch-spool.ts";

const PROGRAM = join(import.meta.dirname, "hook", "agent-hook.ts");
const LOG = Array.from({ length: 15_000 }, (_, i) => `line ${i + 1} of a long log`).join("\n");
const idOf = (text: string | Buffer): string => `art_${hash("sha256", text, "hex").slice(0, 16)}`;

function runHook(dir: string, said: unknown, agent = "claude") {
  const input = typeof said === "string" ? said : JSON.stringify(said);
  const { stdout, stderr, status } = spawnSync(process.execPath, [PROGRAM, agent, dir], { input, encoding: "utf8" });
  return { status, stderr, answer: stdout === "" ? null : (JSON.parse(stdout) as unknown) };
}

const inHooked = (run: (dir: string) => void | Promise<void>): Promise<void> =>
  inFolder(async (base) => {
    const dir = join(base, "archive");
    saveHookPolicy(dir, policyOf());
    await run(dir);
  });

const claude = (tool: string, response: unknown, more: object = {}) => ({
  session_id: "3e0a7c1e-0000-4000-8000-000000000001",
  hook_event_name: "PostToolUse",
  tool_name: tool,
  tool_use_id: "toolu_1",
  tool_input: { command: "make" },
  tool_response: response,
  ...more,
});
const shown = (answer: unknown): unknown =>
  (answer as { hookSpecificOutput: { updatedToolOutput: unknown } }).hookSpecificOutput.updatedToolOutput;

/** What an archive holds after it has taken in what waits. */
const stored = (dir: string) =>
  withArchive(dir, async (archive) => {
    await takeSpooled(archive);
    const { artifacts } = await listArtifacts(archive, artifactsQuery.parse({}));
    const texts: string[] = [];
    for (const { digest } of artifacts) {
      const pieces: Uint8Array[] = [];
      for await (const piece of archive.blobs.read(digest)) pieces.push(piece);
      texts.push(Buffer.concat(pieces).toString("utf8"));
    }
    return { artifacts, texts, sessions: (await listSessions(archive, sessionsQuery.parse({}))).sessions };
  });

test("a large output of Bash becomes an envelope in the tool's own shape, and its bytes an artifact", () =>
  inHooked(async (dir) => {
    const { answer } = runHook(dir, claude("Bash", { stdout: LOG, stderr: "careful", interrupted: false }));
    const { stdout, ...rest } = shown(answer) as { stdout: string };
    expect(rest).toEqual({ stderr: "careful", interrupted: false });
    expect(JSON.parse(stdout)).toMatchObject({ artifact_id: idOf(LOG), tool_name: "Bash", line_count: 15_000 });
    const { artifacts, texts, sessions } = await stored(dir);
    expect(texts).toEqual([LOG]);
    expect(artifacts[0]).toMatchObject({ toolName: "Bash", toolCallId: "toolu_1" });
    expect(sessions.map(({ title }) => title)).toEqual(["Outputs of Claude Code 3e0a7c1e"]);
    expect(spooledFiles(dir)).toEqual([]);
  }));

test("what Claude Code itself put into a file is read from there, whole", () =>
  inHooked(async (dir) => {
    const path = join(dir, "whole.txt");
    writeFileSync(path, LOG);
    const response = { stdout: LOG.slice(0, 30_000), persistedOutputPath: path, persistedOutputSize: LOG.length };
    const { answer } = runHook(dir, claude("Bash", response));
    expect(Object.keys(shown(answer) as object)).toEqual(["stdout"]);
    expect((await stored(dir)).texts).toEqual([LOG]);
  }));

test("a file that was read, and blocks of an MCP server, keep their shape", () =>
  inHooked(async (dir) => {
    const file = { filePath: "/a.log", content: LOG, numLines: 15_000 };
    const read = shown(runHook(dir, claude("Read", { type: "text", file })).answer);
    expect(read).toMatchObject({ type: "text", file: { filePath: "/a.log", numLines: 15_000 } });
    expect((read as { file: typeof file }).file.content).toContain(idOf(LOG));
    const image = { type: "image", source: { data: "aGk=" } };
    const blocks = [{ type: "text", text: LOG }, image, { type: "text", text: "end" }];
    expect(shown(runHook(dir, claude("mcp__shelf__rows", blocks)).answer)).toEqual([
      { type: "text", text: expect.stringContaining(idOf(`${LOG}\nend`)) as string },
      image,
    ]);
    expect(shown(runHook(dir, claude("mcp__shelf__rows", LOG)).answer)).toContain(idOf(LOG));
    expect((await stored(dir)).texts.toSorted()).toEqual([LOG, LOG, `${LOG}\nend`].toSorted());
  }));

test("the output of a failed tool is stored, and stays as it is", () =>
  inHooked(async (dir) => {
    const failed = { hook_event_name: "PostToolUseFailure", error: `Exit code 3\n${LOG}`, tool_response: undefined };
    expect(runHook(dir, claude("Bash", null, failed))).toEqual({ status: 0, stderr: "", answer: null });
    expect((await stored(dir)).texts).toEqual([`Exit code 3\n${LOG}`]);
  }));

test.each([
  ["nothing", ""],
  ["a small output", claude("Bash", { stdout: "ok" })],
  ["an output within the limit", claude("Bash", { stdout: "x".repeat(7000) })],
  ["a tool of our own", claude("mcp__plimsoll__artifact_read", LOG)],
  ["a shape that is not known", claude("Bash", { lines: LOG })],
  ["a tool that is not known", claude("WebSearch", LOG)],
  ["an image", claude("Bash", { stdout: LOG, isImage: true })],
  ["an envelope in much white space", claude("mcp__a__b", " ".repeat(5000))],
])("%s passes", (_, said) =>
  inHooked((dir) => {
    expect(runHook(dir, said)).toEqual({ status: 0, stderr: "", answer: null });
    expect(spooledFiles(dir)).toEqual([]);
  }),
);

test.each([
  ["broken JSON", `{"session_id": ${"x".repeat(9000)}`],
  ["a call of another form", { ...claude("Bash", LOG), session_id: 7 }],
  ["a persisted output that is gone", claude("Bash", { stdout: LOG, persistedOutputPath: "/nowhere/at/all" })],
])("%s passes, and says why", (_, said) =>
  inHooked((dir) => {
    expect(runHook(dir, said)).toMatchObject({
      status: 0,
      answer: null,
      stderr: expect.stringMatching(/^plimsoll hook: /),
    });
  }),
);

test("without a place for the bytes, without a policy, and switched off, the output passes", () =>
  inHooked(async (dir) => {
    const said = claude("Bash", { stdout: LOG });
    writeFileSync(join(dir, "spool"), "a file in the way");
    expect(runHook(dir, said)).toMatchObject({ status: 0, answer: null, stderr: expect.stringContaining("EEXIST") });
    expect(runHook(join(dir, "nowhere"), said)).toMatchObject({ status: 0, answer: null });
    saveHookPolicy(dir, policyOf("off"));
    expect(runHook(dir, said)).toEqual({ status: 0, answer: null, stderr: "" });
    expect(runHook(dir, said, "constructor")).toEqual({ status: 0, answer: null, stderr: "" });
  }));

test("hostile names and bytes are stored as they are, and shown as text", () =>
  inHooked(async (dir) => {
    const text = `\u0000\u001b[2J\ud800 lone\n${LOG}`;
    const { answer } = runHook(
      dir,
      claude("mcp__a\n\u0000b__\ud800c", text, { session_id: "../../etc\n\u0000", tool_use_id: "" }),
    );
    expect(JSON.parse(shown(answer) as string)).toMatchObject({ artifact_id: idOf(Buffer.from(text)) });
    expect((await stored(dir)).texts).toEqual([text.toWellFormed()]);
  }));

test("the policy of the archive decides, from when it is saved", () =>
  inHooked(async (dir) => {
    await withArchive(dir, (archive) => savePolicy(archive, { preset: "vectara-current" }));
    expect(runHook(dir, claude("mcp__a__b", LOG.slice(0, 100_000))).answer).toBeNull();
    await withArchive(dir, (archive) => savePolicy(archive, { preset: "agentium" }));
    const pointer = (JSON.parse(shown(runHook(dir, claude("mcp__a__b", LOG)).answer) as string) as { pointer: string })
      .pointer;
    expect((await stored(dir)).artifacts[0]!.pointer).toBe(pointer);
  }));

test("what is taken in twice is stored once, and what is no output is kept aside", () =>
  inHooked(async (dir) => {
    runHook(dir, claude("mcp__a__b", LOG));
    const [name] = spooledFiles(dir);
    const { artifacts } = await withArchive(dir, async (archive) => {
      const bytes = readFileSync(join(spoolFolder(dir), name!));
      expect(await takeSpooled(archive)).toBe(1);
      writeFileSync(join(spoolFolder(dir), "9-again.output"), bytes);
      writeFileSync(join(spoolFolder(dir), "9-torn.output"), "{");
      expect(await takeSpooled(archive)).toBe(1);
      return listArtifacts(archive, artifactsQuery.parse({}));
    });
    expect(artifacts).toHaveLength(1);
    expect(readdirSync(spoolFolder(dir))).toEqual(["9-torn.output.refused"]);
  }));

test("a server takes in what comes while it runs", () =>
  inHooked((dir) =>
    withArchive(dir, async (archive) => {
      const taken = Promise.withResolvers<boolean>();
      const end = watchSpool(archive, () => taken.resolve(true));
      runHook(dir, claude("mcp__a__b", LOG));
      expect(await Promise.race([taken.promise, sleep(8000, false)])).toBe(true);
      await end();
    }),
  ));
