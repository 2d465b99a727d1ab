// Files given back to an agent: the bytes that were read, beside nothing else. The records are synthetic.
import { createHash } from "node:crypto";
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { expect, test, vi } from "vitest";
import { answer, asks, jsonl, prompt, result, SESSION, type Rec } from "#lib/formats/claude-code/testing-claude.ts";
import type { Archive } from "../base/archive-type.ts";
import { noteGone } from "../sources/watch-sources.ts";
import { importPaths } from "../import/import-paths.ts";
import { inArchive, NOW, put } from "../testing-archive.ts";
import { sessionVersions } from "./version-differences.ts";
import { previewRestore, restoreSession } from "./restore-session.ts";

const DAY = 86_400_000;
const WHOLE = Array.from({ length: 20_000 }, (_, n) => `${n + 1}\n`).join("");
const META = '{"agentType":"Explore","description":"Look","toolUseId":"t2"}';
const PROJECT = "home/.claude/projects/-home-ada-pier";
const sha = (bytes: string | Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** A session with a stored output and a sub-agent, in the folders of Claude Code. */
function family(logs: string, agentId = "a1"): string[] {
  const output = put(logs, `${PROJECT}/${SESSION}/tool-results/b1.txt`, WHOLE);
  const main = put(
    logs,
    `${PROJECT}/${SESSION}.jsonl`,
    jsonl(
      prompt("p", 1, "Count"),
      answer("a", 2, "a", asks("t", "Bash", { command: "seq 1 20000" }), { stop: "tool_use" }),
      result("r", 3, "t", `<persisted-output>\nFull output saved to: ${output}\n\n1\n2\n</persisted-output>`, {
        toolUseResult: { stdout: "1\n2\n", persistedOutputPath: output, persistedOutputSize: WHOLE.length },
      }),
      answer("b", 4, "b", asks("t2", "Task", { prompt: "Look" }), { stop: "tool_use" }),
      result("r2", 5, "t2", "Looked", { toolUseResult: { agentId } as Rec }),
    ),
  );
  const lane: Rec = { isSidechain: true, agentId };
  const agent = put(
    logs,
    `${PROJECT}/${SESSION}/subagents/agent-${agentId}.jsonl`,
    jsonl(prompt("sp", 4, "Look", lane), answer("sa", 5, "sa", [{ type: "text", text: "Looked" }], { more: lane })),
  );
  const note = put(logs, `${PROJECT}/${SESSION}/subagents/agent-${agentId}.meta.json`, META);
  utimesSync(main, (NOW - DAY) / 1000, (NOW - DAY) / 1000);
  return [main, agent, output, note];
}

const filesBelow = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)))
    .toSorted();

const restore = (archive: Archive, logs: string, more: object = {}) =>
  restoreSession(archive, { session: SESSION, roots: [join(logs, "home/.claude/projects")], ...more });
const preview = (archive: Archive, logs: string, more: object = {}) =>
  previewRestore(archive, { session: SESSION, roots: [join(logs, "home/.claude/projects")], ...more });

const withFamily = (run: (archive: Archive, logs: string, files: readonly string[]) => Promise<void>) =>
  inArchive(async (archive, logs) => {
    const files = family(logs);
    await importPaths(archive, [logs]);
    await run(archive, logs, files);
  });

/** The agent deletes what it had of the session, its folders too. */
async function agentDeletes(archive: Archive, logs: string, files: readonly string[]): Promise<void> {
  rmSync(join(logs, PROJECT), { recursive: true });
  noteGone(archive, files);
}

test("all files of a session are given back at their place: bytes, digests, time of change", () =>
  withFamily(async (archive, logs, files) => {
    const before = files.map((path) => readFileSync(path));
    await agentDeletes(archive, logs, files);
    const seen = await preview(archive, logs);
    expect(
      seen.files.map(({ path, role, state, digest, sizeBytes }) => ({ path, role, state, digest, sizeBytes })),
    ).toEqual(
      files.map((path, at) => ({
        path,
        role: ["session", "sub-agent", "output", "note"][at],
        state: "new",
        digest: sha(before[at]!),
        sizeBytes: before[at]!.length,
      })),
    );
    expect([seen.refusal, seen.missing]).toEqual([null, []]);
    expect(existsSync(join(logs, PROJECT))).toBe(false);
    const done = await restore(archive, logs);
    expect(done.files.map(({ state, digest }) => [state, digest])).toEqual(
      before.map((bytes) => ["restored", sha(bytes)]),
    );
    expect(files.map((path) => readFileSync(path).equals(before[files.indexOf(path)]!))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(statSync(files[0]!).mtimeMs).toBe(NOW - DAY);
    expect(done.resume).toMatch(new RegExp(`claude --resume ${SESSION}$`));
    expect(filesBelow(join(logs, PROJECT)).length).toBe(4);
    // What is there is compared alone. The archive reads the new files, and finds nothing new: no version, no second session.
    expect((await restore(archive, logs)).files.map(({ state }) => state)).toEqual(["same", "same", "same", "same"]);
    const again = await importPaths(archive, [logs]);
    expect(again.files.map(({ status }) => status)).toEqual(["replaced", "replaced"]);
    expect(archive.sqlite.prepare("SELECT status, gone_at FROM sources").all()).toEqual([
      { status: "ok", gone_at: null },
      { status: "ok", gone_at: null },
    ]);
  }));

test("another folder gets the same layout, and the command names the file", () =>
  withFamily(async (archive, logs, files) => {
    const to = join(logs, "elsewhere", "deep");
    const done = await restore(archive, logs, { to });
    expect(filesBelow(to)).toEqual(files.map((path) => relative(join(logs, PROJECT), path)).toSorted());
    expect(done.resume).toContain(`claude --resume ${join(to, `${SESSION}.jsonl`)}`);
    await expect(restore(archive, logs, { to: join(archive.dir, "x") })).rejects.toThrow("Plimsoll's own folder");
  }));

test("a file that differs stays, and then nothing at all is written", () =>
  withFamily(async (archive, logs, files) => {
    const [main, agent, output] = files as [string, string, string];
    await agentDeletes(archive, logs, files);
    put(logs, relative(logs, output), "mine");
    expect((await preview(archive, logs)).files.map(({ state }) => state)).toEqual(["new", "new", "differs", "new"]);
    expect((await preview(archive, logs)).refusal).toMatch(/^1 file is there and differ/);
    await expect(restore(archive, logs)).rejects.toThrow(
      "is there and differs from the stored bytes. Nothing was written.",
    );
    expect([existsSync(main), existsSync(agent), readFileSync(output, "utf8")]).toEqual([false, false, "mine"]);
    rmSync(output);
    symlinkSync(join(logs, "nowhere"), output);
    await expect(restore(archive, logs)).rejects.toThrow("differs");
    expect(existsSync(join(logs, "nowhere"))).toBe(false);
  }));

test("a file that appears while others are written is kept, and what was written is taken back", () =>
  withFamily(async (archive, logs, files) => {
    const [main] = files as [string];
    await agentDeletes(archive, logs, files);
    const read = archive.blobs.read.bind(archive.blobs);
    vi.spyOn(archive.blobs, "read").mockImplementation((...args) => {
      put(logs, relative(logs, main), "a new session");
      return read(...args);
    });
    await expect(restore(archive, logs)).rejects.toThrow("is there and differs");
    expect(filesBelow(join(logs, PROJECT))).toEqual([`${SESSION}.jsonl`]);
    expect(readFileSync(main, "utf8")).toBe("a new session");
    vi.restoreAllMocks();
  }));

test("a folder that is a link out of the agent's is refused", () =>
  withFamily(async (archive, logs, files) => {
    await agentDeletes(archive, logs, files);
    mkdirSync(join(logs, PROJECT), { recursive: true });
    mkdirSync(join(logs, "outside"));
    symlinkSync(join(logs, "outside"), join(logs, PROJECT, SESSION));
    await expect(restore(archive, logs)).rejects.toThrow("outside");
    expect([filesBelow(join(logs, "outside")), existsSync(files[0]!)]).toEqual([[], false]);
  }));

test("paths of another machine are refused with the way out; a folder that can be named is taken", () =>
  withFamily(async (archive, logs, files) => {
    await agentDeletes(archive, logs, files);
    let before = files[0]!;
    for (const path of ["/Users/ada/.claude/projects/x/s.jsonl", "C:\\Users\\ada\\.claude\\projects\\x\\s.jsonl"]) {
      archive.sqlite.prepare("UPDATE sources SET path = ? WHERE path = ?").run(path, before);
      before = path;
      expect((await preview(archive, logs)).refusal).toContain("Its folder does not exist on this machine");
      await expect(restore(archive, logs)).rejects.toThrow("Choose another with --to.");
      const to = join(logs, "to", String(path.length));
      await restore(archive, logs, { to });
      expect(existsSync(join(to, "s.jsonl"))).toBe(true);
    }
  }));

test("a disk that fills leaves nothing of the session", () =>
  withFamily(async (archive, logs, files) => {
    await agentDeletes(archive, logs, files);
    const disk = join(logs, "disk");
    mkdirSync(disk);
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", disk]).status !== 0)
      return console.log("SKIPPED: a small disk cannot be mounted here (that takes root).");
    try {
      await expect(restore(archive, logs, { to: disk })).rejects.toThrow("the disk is full");
      expect(filesBelow(disk)).toEqual([]);
    } finally {
      spawnSync("umount", ["-l", disk]);
    }
  }));

test("what its agent would delete at once gets the present time, and that is said", () =>
  withFamily(async (archive, logs, files) => {
    put(logs, "home/.claude/settings.json", '{"cleanupPeriodDays":1}');
    await agentDeletes(archive, logs, files);
    const done = await restore(archive, logs);
    expect(done.notes[0]).toContain("Files get the present time: Claude Code deletes older ones");
    expect(statSync(files[0]!).mtimeMs).toBe(NOW);
  }));

test("what was not read, and what was deleted before it was seen, is listed", () =>
  inArchive(async (archive, logs) => {
    const [main, , output] = family(logs) as [string, string, string];
    rmSync(output);
    appendFileSync(main, '{"type":"user","cut');
    await importPaths(archive, [logs], { final: false });
    const seen = await preview(archive, logs);
    expect(seen.missing).toEqual([
      { path: main, reason: "Its last 19 bytes were not read. The last line was not finished." },
      { path: output, reason: "It was deleted before Plimsoll could read it." },
    ]);
    await expect(restore(archive, logs, { version: 1 })).rejects.toThrow("It has no earlier version.");
    await expect(restore(archive, logs, { session: "nothing" })).rejects.toThrow();
  }));

test("versions say which events were removed, changed and added", () =>
  inArchive(async (archive, logs) => {
    const step = (n: number, words = `Step ${n}`): string => jsonl(prompt(`p${n}`, n, words));
    const path = put(logs, `${SESSION}.jsonl`, step(1) + step(2) + step(3));
    await importPaths(archive, [logs]);
    writeFileSync(path, step(1) + step(2, "Step two") + step(4) + step(5));
    await importPaths(archive, [logs]);
    const { versions } = await sessionVersions(archive, SESSION);
    expect(
      versions.map(({ number, removed, changed, added, isRestorable }) => ({
        number,
        removed,
        changed,
        added,
        isRestorable,
      })),
    ).toEqual([{ number: 1, removed: 1, changed: 1, added: 2, isRestorable: true }]);
    expect(versions[0]!.differences.map(({ kind, seq, seqNow }) => [kind, seq, seqNow])).toEqual([
      ["changed", 1, 2],
      ["removed", 2, null],
      ["added", null, 3],
      ["added", null, 4],
    ]);
  }));

test("each earlier version is given back whole, wherever its records lie now", () =>
  inArchive(async (archive, logs) => {
    const path = join(logs, `${SESSION}.jsonl`);
    const step = (n: number): string =>
      jsonl(
        prompt(`p${n}`, n * 10, `Step ${n}`),
        answer(`a${n}`, n * 10 + 1, `${n}`, [{ type: "text", text: `done ${n}` }]),
      );
    const steps = (...ns: number[]): string => ns.map(step).join("");
    // Rewritten four times: cut, mixed, begun anew, and back to parts of what was.
    const texts = [steps(1, 2, 3, 4), steps(1, 4, 5), steps(6, 4), steps(7), steps(2, 7, 1)];
    for (const text of texts) {
      writeFileSync(path, text);
      await importPaths(archive, [logs]);
    }
    for (const [at, text] of texts.slice(0, -1).entries()) {
      const to = join(logs, `to-${at}`);
      const done = await restore(archive, logs, { to, version: at + 1 }).catch((error: Error) => error);
      // A version all of whose records came back is no version any more.
      if (done instanceof Error) expect([at, done.message]).toEqual([3, expect.stringContaining("no version 4")]);
      else expect(readFileSync(join(to, `${SESSION}.jsonl`), "utf8")).toBe(text);
    }
  }));
