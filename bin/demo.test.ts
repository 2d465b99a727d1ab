import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { homedir, hostname, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { countSession } from "#lib/archive/load/count-tokens.ts";
import { exportSession } from "#lib/archive/sessions/export-session.ts";
import { findSession } from "#lib/archive/base/find-session.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { listEvents } from "#lib/archive/sessions/list-events.ts";
import { listSessions } from "#lib/archive/sessions/list-sessions.ts";
import { sessionLoad } from "#lib/archive/load/session-load.ts";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import { STACK } from "#lib/kernel/load/stack.ts";
import { eventsQuery } from "#lib/wire/events-schema.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import type { ImportAnswer } from "#lib/wire/sources-schema.ts";
import { makeDemo } from "./demo/make.ts";
import { barChart } from "./demo/png.ts";
import { createTools } from "./demo/tools.ts";
import { writeDemo } from "./demo.ts";
import { systemHost } from "./system-host.ts";
import { projectDir } from "./default-paths.ts";

const base = mkdtempSync(join(tmpdir(), "plimsoll-demo-test-"));
let archive: Archive;
let paths: string[];
let answer: ImportAnswer;

beforeAll(async () => {
  archive = await openArchive({ dir: join(base, "archive"), host: systemHost() });
  paths = await writeDemo(archive.dir);
  answer = await importPaths(archive, paths);
  for (const id of answer.files.flatMap((file) => file.sessions)) await countSession(archive, findSession(archive, id));
});
afterAll(async () => {
  await closeArchive(archive);
  rmSync(base, { recursive: true, force: true });
});

describe("the demo's files", () => {
  test("two runs give the same bytes, and leave no folder behind", async () => {
    const own = mkdtempSync(join(base, "tmp-"));
    vi.stubEnv("TMPDIR", own);
    vi.stubEnv("TEMP", own);
    const [first, second] = [await makeDemo(), await makeDemo()];
    vi.unstubAllEnvs();
    expect(second.map((file) => file.name)).toEqual(first.map((file) => file.name));
    for (const [i, file] of second.entries()) expect(file.text === first[i]!.text, file.name).toBe(true);
    expect(readdirSync(own)).toEqual([]);
  });

  test("they name nothing of this machine", () => {
    // Short names ("root", "dev") are words too.
    const names = [projectDir, homedir(), tmpdir(), hostname(), userInfo().username].filter((name) => name.length > 4);
    expect(names.length).toBeGreaterThan(0);
    for (const path of paths) for (const name of names) expect(readFileSync(path, "utf8").includes(name)).toBe(false);
  });

  test("they are private, and their time is that of the session", () => {
    for (const path of paths) {
      if (process.platform !== "win32") expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(new Date(statSync(path).mtimeMs).toISOString().slice(0, 10)).toBe("2026-01-15");
    }
  });

  test("a second time nothing changes", async () => {
    expect(await writeDemo(archive.dir)).toEqual(paths);
    const again = await importPaths(archive, paths);
    expect(again.files.map((file) => file.status)).toEqual(["unchanged", "unchanged", "unchanged"]);
  });
});

describe("in the archive", () => {
  test("every line is read, and every session is marked as a demo with counted tokens", async () => {
    expect(answer.totals.errors).toBe(0);
    const { sessions } = await listSessions(archive, sessionsQuery.parse({}));
    expect(sessions.length).toBeGreaterThanOrEqual(2);
    for (const session of sessions) {
      expect(session.demo).toBe(true);
      expect(session.status).toBe("idle");
      expect(session.peak.origin).toBe("counted");
      expect(session.cost.origin).toBe("counted");
      const load = await sessionLoad(archive, session.id);
      expect(new Set(load.calls.map((call) => call.origin))).toEqual(new Set(["counted"]));
    }
  });

  test("one blows up: its last prompt is over the load line, and the provider refuses it", async () => {
    const show = await showSession(archive, "demo-whole-files");
    expect(show.peak.loadLine).toBe(200_000);
    expect(show.peak.tokens).toBeGreaterThan(200_000);
    expect(show.peak.call).toBe(show.modelCalls.own);
    expect(show.compactions).toBe(1);
    expect(show.turns).toBeGreaterThan(2);
    expect(show.toolErrors).toBeGreaterThan(0);
    const share = archive.sqlite.prepare("SELECT peak_share FROM sessions WHERE id = ?").pluck().get(show.id);
    expect(share).toBeGreaterThan(1);
    const { events } = await listEvents(archive, show.id, eventsQuery.parse({ type: "error" }));
    expect(events.map((event) => event.text)).toEqual([
      expect.stringMatching(/^prompt is too long: \d+ tokens > 200000/),
    ]);
  });

  test("the other does the same job far under the line", async () => {
    const show = await showSession(archive, "demo-small-reads");
    expect(show.peak.loadLine).toBe(200_000);
    expect(show.peak.tokens).toBeLessThan(20_000);
    expect(show.compactions).toBe(0);
  });

  test("its prompts are what the chart finds in the events: nothing is left unexplained", async () => {
    for (const name of ["demo-whole-files", "demo-small-reads", "demo-whole-files/scout"]) {
      const { calls } = await sessionLoad(archive, name);
      const unattributed = calls.map((call) => call.stack[STACK.indexOf("unattributed")]);
      expect(unattributed).toEqual(calls.map(() => 0));
    }
  });

  test("the sub-agent stands under the call that started it", async () => {
    const parent = await showSession(archive, "demo-whole-files");
    const child = await showSession(archive, "demo-whole-files/scout");
    expect(child.parentId).toBe(parent.id);
    expect(child.relation).toBe("subagent");
    expect(child.parentToolCallSeq).toBeGreaterThan(0);
  });

  test("the picture is kept, with its size", () => {
    const row = archive.sqlite.prepare("SELECT width, height FROM artifacts WHERE content_type = 'image/png'").get();
    expect(row).toEqual({ width: 420, height: 140 });
  });

  test("what is exported is the file, but for the names of its records", async () => {
    // Names become what the archive keeps of them, and an image's size is worked out anew.
    const isOther = (key: string): boolean => ["uuid", "preserved", "artifact", "width", "height"].includes(key);
    const bare = (all: string): unknown[] =>
      all
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line, (key, value: unknown) => (isOther(key) ? undefined : value)) as unknown);
    for (const path of paths) {
      const written = bare(readFileSync(path, "utf8"));
      let text = "";
      for await (const line of exportSession(archive, (written[0] as { id: string }).id)) text += line;
      expect(bare(text)).toEqual(written);
    }
  });
});

test("the scripted agent cannot look outside the project", () => {
  const tools = createTools(projectDir, base);
  for (const path of ["../x", "plimsoll/../../x", "plimsoll/demo-data/../../x", "demo-data/../.."])
    expect(() => tools.read(path).run()).toThrow(/outside the project/);
  expect(() => tools.shell("cat x", "no such program").run()).toThrow(/knows wc, tail and node/);
});

test("the picture is a PNG of its size", () => {
  const bytes = Buffer.from(barChart([{ height: 1, colour: 2 }], 40, 20));
  expect(bytes.subarray(0, 8).toString("latin1")).toBe("\x89PNG\r\n\x1a\n");
  expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([40, 20]);
});
