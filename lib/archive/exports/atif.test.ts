// A session as an ATIF trajectory: it keeps the rules of the schema, and says the same calls, tokens, tool calls and results.
import { Readable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { expect, test } from "vitest";
import { answer, asks, jsonl, prompt, result, SESSION, used } from "#lib/formats/claude-code/testing-claude.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { inArchive, put } from "../testing-archive.ts";
import { atifProblems, type Trajectory } from "./testing-atif.ts";
import { writeExport, type WriteOptions } from "./write-export.ts";

const TOKEN = `ghp_${"k7".repeat(18)}`;

const written = async (archive: Archive, id: string, options: Partial<WriteOptions> = {}): Promise<Trajectory> =>
  JSON.parse(
    await textOf(Readable.from((await writeExport(archive, id, { format: "atif", ...options })).pieces)),
  ) as Trajectory;

/** Two answers, the first with two tools of which one fails late, and a result that no call asked for. */
const LINES = [
  prompt("p1", 0, `Look into /home/sailor with ${TOKEN}`),
  answer("a1", 1, "m1", asks("t1", "Bash", { command: "ls" }), { usage: used(10, 90, 0, 5) }),
  answer("a2", 2, "m1", asks("t2", "Read", { file_path: "/home/sailor/x" }), { usage: used(10, 90, 0, 7) }),
  result("r1", 3, "t1", "pier\n".repeat(100)),
  result("r2", 4, "t2", `password="h4rb0urm4ster" and ${TOKEN}`),
  answer("a3", 5, "m2", { type: "text", text: "Done." }, { usage: used(4, 200, 10, 3) }),
  prompt("p2", 6, "Thanks"),
];

const inSession = (run: (archive: Archive, id: string) => Promise<void>): Promise<void> =>
  inArchive(async (archive, logs) => {
    const { files } = await importPaths(archive, [put(logs, `${SESSION}.jsonl`, jsonl(...LINES))]);
    await run(archive, files[0]!.sessions[0]!);
  });

test("a step is an answer with its tool calls and their results, wherever these stand", () =>
  inSession(async (archive, id) => {
    const document = await written(archive, id, { mask: "none" });
    expect(atifProblems(document)).toEqual([]);
    expect(document).toMatchObject({ schema_version: "ATIF-v1.7", trajectory_id: id, session_id: SESSION });
    const [asked, looked, done, thanked] = document.steps;
    expect([asked!.source, thanked!.source]).toEqual(["user", "user"]);
    expect(looked!.tool_calls!.map(({ tool_call_id: call, function_name: tool }) => [call, tool])).toEqual([
      ["t1", "Bash"],
      ["t2", "Read"],
    ]);
    expect(looked!.observation!.results.map((one) => [one.source_call_id, one.content!.length])).toEqual([
      ["t1", 500],
      ["t2", expect.any(Number)],
    ]);
    expect(looked!.metrics).toMatchObject({ prompt_tokens: 100, completion_tokens: 7, cached_tokens: 90 });
    expect(done).toMatchObject({
      message: "Done.",
      metrics: { prompt_tokens: 214, extra: { cache_write_tokens: 10 } },
    });
    expect(document.final_metrics).toMatchObject({
      total_prompt_tokens: 314,
      total_completion_tokens: 10,
      total_cached_tokens: 290,
      total_steps: 4,
    });
  }));

test("two calls of one answer that share an id are told apart", () =>
  inArchive(async (archive, logs) => {
    const lines = [
      prompt("p1", 0, "Both"),
      answer("a1", 1, "m1", asks("t1", "Bash", { command: "ls" }), { usage: used(10, 90, 0, 5) }),
      answer("a2", 2, "m1", asks("t1", "Bash", { command: "pwd" }), { usage: used(10, 90, 0, 7) }),
      result("r1", 3, "t1", "pier"),
    ];
    const { files } = await importPaths(archive, [put(logs, `${SESSION}.jsonl`, jsonl(...lines))]);
    const document = await written(archive, files[0]!.sessions[0]!, { mask: "none" });
    expect(atifProblems(document)).toEqual([]);
    const calls = document.steps.flatMap((step) => step.tool_calls ?? []);
    expect(calls.map(({ tool_call_id: id }) => id)).toEqual(["t1", "t1#2"]);
  }));

test("secrets are masked unless somebody says otherwise, and it says what was masked and never the value", () =>
  inSession(async (archive, id) => {
    const document = await written(archive, id);
    const whole = JSON.stringify(document);
    expect(whole).not.toMatch(/ghp_|h4rb0ur/);
    expect(whole).toContain("/home/sailor");
    expect(atifProblems(document)).toEqual([]);
    const { masked } = (document.extra as { plimsoll: { masked: { values: object[]; sentence: string } } }).plimsoll;
    expect(masked.sentence).toMatch(/^Masked: 2 secrets, in \d+ places\.$/);
    expect(masked.values).toContainEqual({
      mask: "[secret 1]",
      kind: "secret",
      times: expect.any(Number) as number,
      positions: expect.arrayContaining(["Step 1", "Step 2"]) as string[],
    });
    expect(JSON.stringify(await written(archive, id, { mask: "all" }))).not.toMatch(/ghp_|sailor/);
  }));

test("outputs are as long as was asked for", () =>
  inSession(async (archive, id) => {
    const { steps } = await written(archive, id, { outputs: "short" });
    const [first] = steps[1]!.observation!.results;
    expect(first!.content!.split("\n").length).toBe(30);
    expect(first!.extra).toMatchObject({ bytes: 500 });
  }));
