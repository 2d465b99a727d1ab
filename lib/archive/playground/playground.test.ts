import { describe, expect, test } from "vitest";
import {
  historyAnswer,
  jqRun,
  programsAnswer,
  saveRun,
  type JqRun,
  type SaveRun,
} from "#lib/wire/playground-schema.ts";
import { jqRequest } from "#lib/wire/tools-schema.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Archive } from "../base/archive-type.ts";
import { queryArtifact } from "../artifacts/ask-artifact.ts";
import { createSession } from "../artifacts/create-session.ts";
import { flushReads, noteRead } from "../artifacts/note-read.ts";
import { openRaw } from "../artifacts/open-raw.ts";
import { recordOutput } from "../artifacts/record-output.ts";
import { resolveArtifact } from "../artifacts/resolve.ts";
import { storeArtifact } from "../artifacts/store-artifact.ts";
import { inArchive } from "../testing-archive.ts";
import { listRuns } from "./history.ts";
import type { RunAsker } from "./inputs.ts";
import { deleteProgram, listPrograms, readProgram, saveProgram } from "./programs.ts";
import { runGrepPattern } from "./run-grep.ts";
import { runJqProgram } from "./run-jq.ts";
import { saveJqRun } from "./save-run.ts";

const PERSON: RunAsker = { who: "browser:1", isPerson: true, session: null };
const AGENT: RunAsker = { who: "token:1", isPerson: false, session: null };

async function put(archive: Archive, text: string, name: string, session = "s"): Promise<string> {
  await createSession(archive, { id: session });
  return (await storeArtifact(archive, { session, name }, Buffer.from(text))).pointer;
}

async function run(archive: Archive, request: Partial<JqRun> & { program: string }, asker = PERSON) {
  const pieces: string[] = [];
  let starts = 0;
  const whole = jqRun.parse({ inputs: [], ...request });
  const end = await runJqProgram(archive, whole, asker, {
    onStart: () => starts++,
    onPiece: (text) => void pieces.push(text),
  });
  expect(starts).toBe(1);
  return { output: pieces.join(""), end };
}

const only = (more: Record<string, unknown>) => jqRun.parse({ program: ".", inputs: [], options: more }).options;
const historyOf = async (archive: Archive, who: "all" | "mine" | "agent", more: object = {}) =>
  historyAnswer.parse(await listRuns(archive, { who, limit: 50, ...more }));

describe("a run", () => {
  test("reads artifacts and pasted text one after the other, with every option", () =>
    inArchive(async (archive) => {
      const a = await put(archive, '{"b":1,"a":[2]}', "a");
      const lines = await put(archive, '{"n":1}\n{"n":2}\n', "lines");
      const inputs = [{ artifact: a }, { artifact: lines }, { text: '"pasted"' }];
      const all = await run(archive, { program: ".", inputs, options: only({ compact: true }) });
      expect(all.output).toBe('{"b":1,"a":[2]}\n{"n":1}\n{"n":2}\n"pasted"\n');
      expect(all.end).toMatchObject({ ok: true, values: 4, inputValues: null, runId: null, isCut: false });
      const two = await run(archive, { program: ".", inputs: inputs.slice(0, 2) });
      expect(two.end.inputValues).toBe(3);
      const more = { raw: true, slurp: true, sortKeys: true, compact: true, args: { x: "y" }, jsonArgs: { n: "[1]" } };
      const program = ".[0], $x, $n, length";
      expect((await run(archive, { program, inputs, options: only(more) })).output).toBe(
        '{"a":[2],"b":1}\ny\n[1]\n4\n',
      );
      const none = await run(archive, { program: "1 + 1", options: only({ nullInput: true }) });
      expect([none.output, none.end.inputValues]).toEqual(["2\n", null]);
    }));

  test("fails as an end, with its place; what it wrote before stands", () =>
    inArchive(async (archive) => {
      expect((await run(archive, { program: ".a |\n nope" })).end.failure).toMatchObject({
        kind: "compile",
        line: 2,
        column: 2,
      });
      const late = await run(archive, { program: "1, error", inputs: [{ text: '"x"' }] });
      expect([late.output, late.end]).toMatchObject(["1\n", { ok: false, failure: { kind: "runtime", line: null } }]);
      const slow = await run(archive, { program: "7, last(range(1e12))", inputs: [{ text: "0" }], deadlineMs: 300 });
      expect([slow.output, slow.end.failure?.kind, slow.end.values]).toEqual(["7\n", "timeout", 1]);
    }));

  test("is refused before it begins: what is not there, not JSON, or of another session", () =>
    inArchive(async (archive) => {
      const text = await put(archive, "just words\n", "words");
      const other = await put(archive, "[1]", "theirs", "other");
      const over = (artifact: string, asker = PERSON) => run(archive, { program: ".", inputs: [{ artifact }] }, asker);
      await expect(over(text)).rejects.toMatchObject({ code: "unsupported" });
      await expect(over("art:00000000-0000-4000-8000-000000000000")).rejects.toMatchObject({ code: "not_found" });
      const { session_id: session } = resolveArtifact(archive, text);
      await expect(over(other, { ...AGENT, session })).rejects.toMatchObject({ code: "not_found" });
      expect((await over(other, AGENT)).output).toBe("[\n  1\n]\n");
    }));

  test("of grep tells lines and their number, and what is wrong with a pattern", () =>
    inArchive(async (archive) => {
      const artifact = await put(archive, "a1\nb2\na3\n", "log");
      const found: string[] = [];
      const ask = { artifact, options: ["-i"], deadlineMs: 2000, lines: 1, isKept: true };
      const hear = {
        onStart() {},
        onLines: (lines: { text: string }[]) => found.push(...lines.map((line) => line.text)),
      };
      expect(await runGrepPattern(archive, { ...ask, pattern: "A" }, PERSON, hear)).toMatchObject({
        ok: true,
        matches: 2,
        omitted: 1,
        isCounted: true,
      });
      expect(found).toEqual(["a1"]);
      const wrong = await runGrepPattern(archive, { ...ask, pattern: "(" }, PERSON, hear);
      expect(wrong).toMatchObject({ ok: false, failure: { kind: "pattern" } });
      const { runs } = await historyOf(archive, "mine", { artifact });
      expect(runs.map(({ program, results, failure }) => [program, results, failure])).toEqual([
        ["(", null, "pattern"],
        ["A", 2, null],
      ]);
    }));
});

describe("the history", () => {
  test("has what a person ended on, once, newest first, and no more than 500", () =>
    inArchive(async (archive) => {
      const artifact = await put(archive, "[1,2]", "a");
      const inputs = [{ artifact }, { text: "3" }];
      await run(archive, { program: ".", inputs });
      const first = await run(archive, { program: "length", inputs, isKept: true });
      const again = await run(archive, { program: "length", inputs, isKept: true });
      expect(again.end.runId).toBe(first.end.runId);
      await run(archive, { program: "nope", isKept: true });
      const { runs, total } = await historyOf(archive, "all");
      expect(total).toBe(2);
      expect(runs[0]).toMatchObject({ program: "nope", failure: "compile", results: null, artifacts: [], pasted: 0 });
      expect(runs[1]).toMatchObject({ program: "length", results: 2, artifacts: [artifact], pasted: 1, who: "mine" });
      expect((await historyOf(archive, "mine", { artifact })).total).toBe(1);
      const insert = archive.sqlite.prepare(
        "INSERT INTO playground_runs (id, kind, program, options, at) VALUES (?, 'jq', '.', '{}', 0)",
      );
      archive.sqlite.transaction(() => {
        for (let i = 0; i < LIMITS.playgroundRuns + 20; i++) insert.run(`run_${i}`);
      })();
      await run(archive, { program: "last", isKept: true });
      const left = archive.sqlite.prepare("SELECT count(*) FROM playground_runs").pluck().get();
      expect(left).toBe(LIMITS.playgroundRuns);
      await expect(historyOf(archive, "mine", { artifact: "art:none-such" })).rejects.toMatchObject({
        code: "not_found",
      });
    }));

  test("has what agents asked: as it was noted, and as their logs tell it", () =>
    inArchive(async (archive) => {
      const { id: session } = await createSession(archive, { id: "s" });
      const request = { session, toolName: "query", toolCallId: "c1", isError: false };
      const rows = JSON.stringify({ rows: Array.from({ length: 2000 }, (_, id) => ({ id })), next: "p2" });
      const { artifact } = await recordOutput(archive, request, Buffer.from(rows));
      const { pointer, artifactId: artifact_id } = artifact!;
      const call = (toolName: string, input: object, more: object = {}) =>
        recordOutput(
          archive,
          { session, toolName, toolCallId: `${toolName}${JSON.stringify(input)}`, input, isError: false, ...more },
          Buffer.from("1"),
        );
      await call("artifact_jq", { artifact_id, expression: ".next", raw_output: true });
      await call("mcp__store__artifact_grep", { artifact_id, pattern: "p2", grep_options: ["-n"] }, { isError: true });
      await call("my_artifact_jquery", { artifact_id, expression: ".x" });
      await call("artifact_read", { artifact_id });
      const note = { pointer, bytes: 1, isError: false };
      noteRead(archive, { ...note, who: "agent", tool: "artifact_jq", request: { artifact_id, expression: ".next" } });
      noteRead(archive, { ...note, who: "token:9", tool: "grep", request: { pattern: "id", options: ["-c"] } });
      noteRead(archive, { ...note, who: "token:9", tool: "jq", request: { program: `.${"x".repeat(3000)}` } });
      const args = { x: "y".repeat(3000) };
      noteRead(archive, { ...note, who: "token:9", tool: "jq", request: { program: "$x", args } });
      noteRead(archive, { ...note, who: "browser:2", tool: "jq", request: { program: ".mine" } });
      await flushReads(archive);
      const { runs, total } = await historyOf(archive, "agent");
      expect(total).toBe(3);
      const said = runs.map(({ kind, program, options, failure, artifacts }) => [
        kind,
        program,
        Array.isArray(options) ? options.join() : options.raw,
        failure,
        artifacts[0] === pointer,
      ]);
      expect(said.toSorted()).toEqual([
        ["grep", "id", "-c", null, true],
        ["grep", "p2", "-n", "runtime", true],
        ["jq", ".next", true, null, true],
      ]);
      for (const one of runs) expect(one.sessionId).toBe(resolveArtifact(archive, pointer).session_id);
      expect((await historyOf(archive, "agent", { artifact: artifact_id })).total).toBe(3);
      expect((await historyOf(archive, "mine")).total).toBe(0);
    }));

  test("has a call once when the same bytes come back later, and the log's id means the newer ones", () =>
    inArchive(async (archive) => {
      const { id: session } = await createSession(archive, { id: "s" });
      const rows = Buffer.from(JSON.stringify(Array.from({ length: 3000 }, (_, id) => ({ id }))));
      const query = (toolCallId: string) =>
        recordOutput(archive, { session, toolName: "query", toolCallId, isError: false }, rows);
      const { pointer, artifactId: artifact_id } = (await query("c1")).artifact!;
      const input = { artifact_id, expression: "length" };
      const ask = { session, toolName: "artifact_jq", input, isError: false };
      noteRead(archive, { pointer, bytes: 1, isError: false, who: "agent", tool: "artifact_jq", request: input });
      await recordOutput(archive, { ...ask, toolCallId: "c2" }, Buffer.from("3000"));
      await query("c3");
      noteRead(archive, {
        pointer,
        bytes: 1,
        isError: false,
        who: "token:1",
        tool: "jq",
        request: { program: "length" },
      });
      await flushReads(archive);
      const { runs } = await historyOf(archive, "agent");
      expect(runs.map(({ seq }) => seq !== null).toSorted()).toEqual([false, true]);
    }));

  test("notes what an agent runs with the artifact, and does not call it a person's", () =>
    inArchive(async (archive) => {
      const artifact = await put(archive, "[1]", "a");
      const { end } = await run(archive, { program: "length", inputs: [{ artifact }], isKept: true }, AGENT);
      expect(end.runId).toBeNull();
      await flushReads(archive);
      expect((await historyOf(archive, "mine")).total).toBe(0);
      expect((await historyOf(archive, "agent")).runs).toMatchObject([{ program: "length", artifacts: [artifact] }]);
    }));

  test("has an agent's run with all that it takes to run it again", () =>
    inArchive(async (archive) => {
      const artifact = await put(archive, '{"b":1,"a":2}', "a");
      const options = only({
        compact: true,
        raw: true,
        slurp: true,
        nullInput: true,
        sortKeys: true,
        args: { x: "y" },
        jsonArgs: { n: "[1]" },
      });
      const program = "[input, $x, $n]";
      await run(archive, { program, options, inputs: [{ artifact }] }, AGENT);
      await queryArtifact(archive, artifact, jqRequest.parse({ ...options, program }), AGENT.who);
      await flushReads(archive);
      const { runs } = await historyOf(archive, "agent");
      expect(runs).toHaveLength(2);
      for (const one of runs) expect(one).toMatchObject({ program, options, failure: null });
    }));
});

describe("programs", () => {
  const options = only({ raw: true });

  test("are kept by name, or by what they say", () =>
    inArchive(async (archive) => {
      const named = await saveProgram(archive, { kind: "jq", name: "ids", program: ".id", options, fits: "JSON" });
      expect(await readProgram(archive, named.id)).toEqual(named);
      const grep = await saveProgram(archive, {
        kind: "grep",
        name: "ids",
        program: "id",
        options: ["-i"],
        fits: "text",
      });
      const long = { kind: "jq", name: null, program: `.${" ".repeat(5000)}`, options, fits: "any" } as const;
      const first = await saveProgram(archive, long);
      expect((await saveProgram(archive, long)).id).toBe(first.id);
      expect((await saveProgram(archive, { ...long, options: only({}) })).id).not.toBe(first.id);
      const { programs } = programsAnswer.parse(await listPrograms(archive));
      expect(programs.map(({ id }) => id).toSorted()).toEqual([named.id, grep.id].toSorted());
      expect(await saveProgram(archive, { kind: "jq", name: "ids", program: ".id", options, fits: "x" })).toEqual(
        named,
      );
      await expect(
        saveProgram(archive, { kind: "jq", name: "ids", program: ".other", options, fits: "x" }),
      ).rejects.toMatchObject({ code: "conflict" });
      await expect(
        saveProgram(archive, { kind: "grep", name: null, program: "x", options, fits: "x" }),
      ).rejects.toMatchObject({ code: "invalid" });
      expect(await deleteProgram(archive, named.id)).toEqual({ deleted: true });
      await expect(deleteProgram(archive, named.id)).rejects.toMatchObject({ code: "not_found" });
    }));

  test("without a name go when there are too many; those with one stay", () =>
    inArchive(async (archive) => {
      await saveProgram(archive, { kind: "jq", name: "kept", program: ".", options, fits: "any" });
      const insert = archive.sqlite.prepare(
        "INSERT INTO playground_programs (id, kind, program, options, fits, created_at) VALUES (?, 'jq', '.', '{}', 'any', ?)",
      );
      archive.sqlite.transaction(() => {
        for (let i = 0; i < LIMITS.playgroundPrograms; i++) insert.run(`prg_${i}`, i);
      })();
      const { id } = await saveProgram(archive, { kind: "jq", name: null, program: ".a", options, fits: "any" });
      expect((await readProgram(archive, id)).program).toBe(".a");
      await expect(readProgram(archive, "prg_0")).rejects.toMatchObject({ code: "not_found" });
      expect((await listPrograms(archive)).programs).toHaveLength(1);
    }));
});

describe("a result that is saved", () => {
  const save = (archive: Archive, request: Partial<SaveRun> & { program: string }) =>
    saveJqRun(archive, saveRun.parse({ name: "result", inputs: [], ...request }), PERSON);

  async function bytesOf(archive: Archive, pointer: string): Promise<{ text: string; type: string }> {
    const raw = await openRaw(archive, pointer);
    if (raw.kind !== "bytes") throw new Error(raw.kind);
    const pieces: Uint8Array[] = [];
    for await (const piece of raw.read()) pieces.push(piece);
    return { text: Buffer.concat(pieces).toString(), type: raw.contentType };
  }

  test("is an artifact of the session Playground, of the type that it is", () =>
    inArchive(async (archive) => {
      const artifact = await put(archive, '[{"a":1},{"a":2}]', "rows");
      const inputs = [{ artifact }, { text: "[]" }];
      const one = await save(archive, { program: ".", inputs: [{ artifact }], options: only({ sortKeys: true }) });
      expect((await bytesOf(archive, one.pointer)).type).toBe("application/json");
      const lines = await save(archive, { program: ".[]", inputs, options: only({ compact: true }) });
      expect(await bytesOf(archive, lines.pointer)).toEqual({
        text: '{"a":1}\n{"a":2}\n',
        type: "application/x-ndjson",
      });
      const many = await save(archive, { program: ".[]", inputs });
      expect(await bytesOf(archive, many.pointer)).toEqual({
        text: '{"a":1}\n{"a":2}\n',
        type: "application/x-ndjson",
      });
      const scalar = await save(archive, { program: "length", inputs: [{ artifact }] });
      expect(await bytesOf(archive, scalar.pointer)).toEqual({ text: "2\n", type: "application/json" });
      const raw = await save(archive, { program: '"5"', inputs: [{ text: "0" }], options: only({ raw: true }) });
      expect(await bytesOf(archive, raw.pointer)).toEqual({ text: "5\n", type: "text/plain" });
      const table = await save(archive, { program: ".[] | [.a] | @csv", inputs, options: only({ raw: true }) });
      expect((await bytesOf(archive, table.pointer)).type).toBe("text/csv");
      expect(new Set([one, lines, raw, table].map((saved) => saved.sessionId)).size).toBe(1);
      const row = resolveArtifact(archive, lines.pointer);
      expect(row).toMatchObject({ name: "result", tool_name: "jq", session_title: "Playground" });
      expect(row.description).toBe(`jq -c .[]\nfrom ${artifact}, 1 pasted`);
    }));

  test("is all of it, and nothing when the program fails", () =>
    inArchive(async (archive) => {
      const many = await save(archive, { program: "range(300000)", options: only({ nullInput: true }) });
      expect(many.sizeBytes).toBe(1_988_890);
      const before = archive.sqlite.prepare("SELECT count(*) FROM artifacts").pluck().get();
      await expect(
        save(archive, { program: "range(300000), error", options: only({ nullInput: true }) }),
      ).rejects.toMatchObject({ code: "invalid" });
      await expect(save(archive, { program: "nope" })).rejects.toMatchObject({ code: "invalid" });
      await expect(
        save(archive, { program: ".", inputs: [{ artifact: "art:00000000-0000-4000-8000-000000000000" }] }),
      ).rejects.toMatchObject({ code: "not_found" });
      expect(archive.sqlite.prepare("SELECT count(*) FROM artifacts").pluck().get()).toBe(before);
    }));
});
