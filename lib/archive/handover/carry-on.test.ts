// A session that is carried on: the file is what the dry run says, the agent's format reads it, nothing of the old one counts twice, and
// it is taken back only while it is what was written. Session files here are made by hand (synthetic).
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FORMATS } from "#lib/formats/index.ts";
import {
  answer,
  asks,
  jsonl,
  line,
  prompt,
  result,
  SESSION,
  text,
  used,
} from "#lib/formats/claude-code/testing-claude.ts";
import { carryOnPlanRequest, carryOnRequest, type CarryOnRequest } from "#lib/wire/carry-on-schema.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { localWriter } from "../base/write.ts";
import { importPaths } from "../import/import-paths.ts";
import { countSession } from "../load/count-tokens.ts";
import { contextOf } from "../memory/context.ts";
import { readText } from "../artifacts/whole-text.ts";
import { listSessions } from "../sessions/list-sessions.ts";
import { showSession } from "../sessions/show-session.ts";
import { removeSession } from "../sources/remove-session.ts";
import { inArchive, put } from "../testing-archive.ts";
import { carryOn, takeBack } from "./carry-on.ts";
import { listCarryOns } from "./handover-rows.ts";
import { planCarryOn, planHandover } from "./plan-handover.ts";

const BIG = Array.from({ length: 900 }, (_, i) => `row ${i + 1} of the tide table`).join("\n");
const FILE = `home/.claude/projects/-home-ada-harbour/${SESSION}.jsonl`;

/** Two turns; the last has a large output, an image, and what `more` adds. */
const records = (...more: readonly unknown[]): string =>
  jsonl(
    prompt("p1", 0, "Read the tide tables"),
    answer("a1", 1, "m1", asks("c1", "Bash", { command: "cat piers.json" })),
    result("r1", 2, "c1", "pier 1: sound\npier 2: leak at the ladder"),
    answer("a2", 3, "m2", text("Pier 2 leaks."), { usage: used(10, 4000, 100, 50) }),
    line("attachment", "at", 3, { attachment: { type: "session_context", context: {} } }),
    prompt("p2", 4, "And the whole table?"),
    answer("a3", 5, "m3", asks("c2", "Bash", { command: "cat tides" })),
    result("r2", 6, "c2", BIG, { toolUseResult: { stdout: BIG, stderr: "", interrupted: false } }),
    answer("a4", 7, "m4", text("It has 900 rows."), { usage: used(10, 90_000, 100, 50) }),
    ...more,
  );

const ground = (run: (archive: Archive, path: string, dir: string) => Promise<void>, ...more: readonly unknown[]) =>
  inArchive(async (archive, dir) => {
    const path = put(dir, FILE, records(...more));
    await importPaths(archive, [path]);
    await run(archive, path, dir);
  });

const request = (more: Partial<CarryOnRequest> = {}) => carryOnRequest.parse({ tail: 1, ...more });
type Line = {
  readonly [field: string]: unknown;
  readonly message: { readonly content: readonly { readonly content: string }[]; readonly usage?: object };
};
const linesOf = (path: string) =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((one) => JSON.parse(one) as Line);

describe("a summary and the last turns", () => {
  test("are written as the dry run shows, read by their own format alone, and count once", () =>
    ground(async (archive, source) => {
      const before = readFileSync(source);
      const sums = (await listSessions(archive, sessionsQuery.parse({ sums: "1" }))).sums;
      const { plan, written } = await carryOn(archive, SESSION, request());
      expect(readFileSync(source)).toEqual(before);
      expect(plan.lines.map(({ kind }) => kind)).toEqual([
        ...["added", "added", "summary", "kept", "kept", "kept", "replaced", "kept"],
      ]);
      expect(written!.path).toBe(source.replace(SESSION, written!.session.nativeId.slice("claude-code:".length)));
      const bytes = readFileSync(written!.path);
      expect([bytes.length, plan.sizeBytes]).toEqual([written!.sizeBytes, written!.sizeBytes]);
      const head = { path: written!.path, head: bytes.subarray(0, 65_536), sidecars: new Map() };
      expect(FORMATS.filter((format) => format.detect(head)).map(({ id }) => id)).toEqual(["claude-code"]);
      const made = linesOf(written!.path);
      expect(made.at(2)!.message.content).toBe(plan.summary);
      const chained = made.slice(2).every((one, i) => one["parentUuid"] === made[i + 1]!["uuid"]);
      expect(chained).toBe(true);
      // The client would take the old usage for the size of its context.
      expect(made.at(-1)!.message.usage).toMatchObject({ cache_read_input_tokens: 0, output_tokens: 50 });

      await importPaths(archive, [written!.path]);
      const now = await showSession(archive, written!.session.id);
      expect(now).toMatchObject({ relation: "continuation", modelCalls: { own: 0 }, parentId: null });
      const old = await showSession(archive, SESSION);
      expect(now.lineage).toMatchObject([{ id: old.id, relation: "continues" }]);
      expect(old.lineage).toMatchObject([{ id: now.id, relation: "continued" }]);
      expect(old.modelCalls.own).toBe(4);
      expect((await listSessions(archive, sessionsQuery.parse({ sums: "1" }))).sums).toEqual({
        ...sums,
        sessions: expect.anything(),
      });

      const context = await contextOf(archive, now.id, { as: "anthropic" });
      const words = context.messages.map(({ label }) => label).join("\n");
      expect(words).toContain("And the whole table?");
      expect(words).not.toContain("Read the tide tables\n");
      const envelope = JSON.parse(made.at(-2)!.message.content[0]!.content) as { artifact_id: string };
      expect(await readText(archive, envelope.artifact_id)).toBe(BIG);
      expect((made.at(-2)!["toolUseResult"] as { stdout: string }).stdout).toContain(envelope.artifact_id);
      expect(plan.tokens.next).toBeLessThan(plan.tokens.now);
    }));

  test("the prompt before is the whole one that the provider reported, as a compaction says it, in every mode", () =>
    ground(async (archive) => {
      for (const mode of ["summary", "fork"] as const) {
        const { tokens } = await planCarryOn(archive, SESSION, carryOnPlanRequest.parse({ mode, at: 8, tail: 1 }));
        expect([tokens.now, tokens.nowOrigin]).toEqual([90_110, "reported"]);
        expect(tokens.unattributed).toBeGreaterThan(70_000);
        expect(tokens.next).toBeLessThan(20_000);
      }
    }));

  test("texts that are not counted yet are counted first, where a command asks", () =>
    ground(async (archive) => {
      const request = carryOnPlanRequest.parse({ mode: "fork", at: 8 });
      const first = await planCarryOn(archive, SESSION, request, { counted: true });
      await countSession(archive, findSession(archive, SESSION));
      const { tokens } = await planCarryOn(archive, SESSION, request);
      expect(first.tokens).toEqual(tokens);
    }));

  test("an edited summary is what is written; a summary without envelopes keeps outputs", () =>
    ground(async (archive) => {
      const lines = [{ text: "Pier 2 leaks at the ladder.", seqs: [] }];
      const { plan, written } = await carryOn(archive, SESSION, request({ lines, envelopes: false }));
      expect(plan.summary).toBe("Pier 2 leaks at the ladder.");
      expect(plan.tokens.replaced).toBe(0);
      expect(readFileSync(written!.path, "utf8")).toContain("row 450 of the tide table");
    }));

  test("more turns kept than there are: nothing is written, and why is said", () =>
    ground(async (archive, source) => {
      const { plan, written } = await carryOn(archive, SESSION, request({ tail: 5 }));
      expect([plan.status, written]).toEqual(["nothing", null]);
      expect(plan.reason).toContain("the last 5 stay whole");
      expect(readdirSync(join(source, ".."))).toHaveLength(1);
    }));
});

describe("a fork", () => {
  test("has everything up to the event, without a summary, and keeps usage", () =>
    ground(async (archive) => {
      const { plan, written } = await carryOn(archive, SESSION, request({ mode: "fork", at: 4, envelopes: false }));
      const made = linesOf(written!.path);
      expect(made.map(({ type }) => type)).toEqual(["custom-title", "user", "assistant", "user"]);
      expect(plan.summary).toBeNull();
      expect(made.some((one) => one["isCompactSummary"])).toBe(false);
    }));

  test("a call that is open at the cut gets a result, and that is said", () =>
    ground(
      async (archive) => {
        const { plan, written } = await carryOn(archive, SESSION, request({ mode: "fork" }));
        const made = linesOf(written!.path);
        expect(plan.lines.at(-1)).toMatchObject({ kind: "closed" });
        expect(plan.warnings.join(" ")).toContain("had not returned");
        expect(made.at(-1)!.message.content).toMatchObject([{ tool_use_id: "c3", is_error: true }]);
      },
      answer("a5", 8, "m5", asks("c3", "Bash", { command: "sleep 100" })),
    ));
});

describe("taking back", () => {
  test("removes the file while it is what was written, and once", () =>
    ground(async (archive) => {
      const { written } = await carryOn(archive, SESSION, request());
      expect((await takeBack(archive, written!.id)).status).toBe("removed");
      expect(existsSync(written!.path)).toBe(false);
      expect((await takeBack(archive, written!.id)).status).toBe("already gone");
      expect(listCarryOns(archive, SESSION).rows).toMatchObject([{ id: written!.id, takenBackAt: expect.any(String) }]);
    }));

  test("leaves a file that the agent wrote to, and says so", () =>
    ground(async (archive) => {
      const { written } = await carryOn(archive, SESSION, request());
      appendFileSync(written!.path, "{}\n");
      await expect(takeBack(archive, written!.session.id)).rejects.toThrow("The agent has written to");
      expect(existsSync(written!.path)).toBe(true);
    }));
});

describe("what may be wrong", () => {
  test("a file outside the agent's folder needs another one, which must be whole and there", () =>
    inArchive(async (archive, dir) => {
      await importPaths(archive, [put(dir, `${SESSION}.jsonl`, records())]);
      const plan = await planCarryOn(archive, SESSION, carryOnPlanRequest.parse({ tail: 1 }));
      expect(plan.path).toBeNull();
      await expect(carryOn(archive, SESSION, request())).rejects.toThrow("--to");
      await expect(carryOn(archive, SESSION, request({ to: "relative" }))).rejects.toThrow("not an absolute path");
      await expect(carryOn(archive, SESSION, request({ to: join(dir, "absent") }))).rejects.toThrow("does not exist");
      const { written } = await carryOn(archive, SESSION, request({ to: dir }));
      expect(written!.command).toBe(`cd /home/ada/harbour && claude --resume ${written!.path}`);
    }));

  test("a file that grew, shrank or went, a version and a folder that are unknown are told", () =>
    ground(async (archive, source) => {
      const warnings = async () =>
        (await planCarryOn(archive, SESSION, carryOnPlanRequest.parse({ tail: 1 }))).warnings.join("\n");
      expect(await warnings()).toMatch(/2\.1\.219 is untried[\s\S]*\/home\/ada\/harbour is not on this machine/);
      appendFileSync(source, "{}\n");
      expect(await warnings()).toContain("3 bytes that were not read yet");
      writeFileSync(source, "");
      expect(await warnings()).toContain("was cut or replaced");
      rmSync(source);
      expect(await warnings()).toContain("The old file is gone");
      expect((await carryOn(archive, SESSION, request())).written).not.toBeNull();
    }));

  test("a folder that cannot be written leaves nothing", () =>
    ground(async (archive, source) => {
      const folder = join(source, "..");
      // Root may write everywhere, but not below a file.
      const isRoot = process.getuid?.() === 0;
      if (!isRoot) chmodSync(folder, 0o500);
      const asked = isRoot ? { ...request(), to: source } : request();
      await expect(carryOn(archive, SESSION, asked)).rejects.toThrow("Could not write");
      chmodSync(folder, 0o700);
      expect(readdirSync(folder)).toHaveLength(1);
      expect(listCarryOns(archive).rows).toEqual([]);
    }));

  test("a sub-agent's session is refused", () =>
    inArchive(async (archive, dir) => {
      mkdirSync(join(dir, "x"), { recursive: true });
      const own = jsonl(
        prompt("s1", 0, "Look", { isSidechain: true, agentId: "abc" }),
        answer("s2", 1, "ms", text("Seen."), { more: { isSidechain: true, agentId: "abc" } }),
      );
      await importPaths(archive, [put(dir, `p/${SESSION}/subagents/agent-abc.jsonl`, own)]);
      await expect(carryOn(archive, `${SESSION}/abc`, request())).rejects.toThrow("sub-agent");
    }));
});

/** `run`: what happens beside the write of the row; `isAfter`: once it is committed. */
function besideRow(archive: Archive, isAfter: boolean, run: () => void): void {
  const writer = localWriter(archive);
  archive.writer = {
    async run(what, ...rest) {
      if (what.name !== "addContinuation") return writer.run(what, ...rest);
      if (!isAfter) run();
      const answer = await writer.run(what, ...rest);
      if (isAfter) run();
      return answer;
    },
  };
}

const writtenIn = (path: string): string[] =>
  readdirSync(join(path, "..")).filter((name) => name.endsWith(".jsonl") && name !== `${SESSION}.jsonl`);

test("no file has its name before the archive knows of it, wherever a kill comes", () =>
  ground(async (archive, path) => {
    let before: string[] | null = null;
    let after: string[] | null = null;
    besideRow(archive, false, () => (before = writtenIn(path)));
    await carryOn(archive, SESSION, request());
    besideRow(archive, true, () => (after = writtenIn(path)));
    await carryOn(archive, SESSION, request());
    expect([before, after]).toEqual([[], [expect.any(String)]]);
    expect(writtenIn(path)).toHaveLength(2);
  }));

test("of a file that never got its name the archive knows nothing, and a row without one is taken back", () =>
  ground(async (archive, path) => {
    const folder = join(path, "..");
    besideRow(archive, true, () => {
      // The name is taken by another program meanwhile.
      const temporary = readdirSync(folder).find((name) => name.endsWith(".unfinished"))!;
      writeFileSync(join(folder, temporary.slice(1, temporary.indexOf(".jsonl") + 6)), "theirs");
    });
    await expect(carryOn(archive, SESSION, request())).rejects.toThrow("the file exists");
    expect(listCarryOns(archive).rows).toEqual([]);
    expect(writtenIn(path).map((name) => readFileSync(join(folder, name), "utf8"))).toEqual(["theirs"]);
    archive.writer = null;
    const { written } = await carryOn(archive, SESSION, request());
    rmSync(written!.path);
    expect(await takeBack(archive, written!.id)).toMatchObject({ status: "already gone" });
  }));

test.each([
  [
    "written anew",
    (archive: Archive, path: string, dir: string) => importPaths(archive, [put(dir, FILE, records().slice(400))]),
  ],
  ["removed", (archive: Archive) => removeSession(archive, SESSION)],
])("a session whose file is %s after it was planned is not carried on in pieces", (_, change) =>
  ground(async (archive, path, dir) => {
    const { lines, plan } = await planHandover(archive, SESSION, request({ mode: "fork" }));
    expect(plan.lines.length).toBeGreaterThan(4);
    await change(archive, path, dir);
    expect(() => [...lines()]).toThrow("Retry.");
  }),
);

test("a session that only goes on after it was planned is carried on as it was", () =>
  ground(async (archive, path) => {
    const { lines } = await planHandover(archive, SESSION, request({ mode: "fork" }));
    const before = [...lines()].map(({ text: one }) => one);
    appendFileSync(path, jsonl(prompt("p9", 60, "And the next?")));
    await importPaths(archive, [path]);
    expect([...lines()].map(({ text: one }) => one)).toEqual(before);
  }));
