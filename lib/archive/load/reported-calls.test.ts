import { expect, test } from "vitest";
import { at, client, counted, said, tokens } from "#lib/formats/codex/testing-codex.ts";
import { answer, jsonl as claudeLines, prompt, text } from "#lib/formats/claude-code/testing-claude.ts";
import { reportedCallsAnswer, type ReportedCallsAnswer } from "#lib/wire/reported-calls-schema.ts";
import { importPaths } from "../import/import-paths.ts";
import { inArchive, put } from "../testing-archive.ts";
import { reportedCalls } from "./reported-calls.ts";

const NAME = "rollout-2026-01-02T03-04-05-019f0000-0000-7000-8000-0000000000aa.jsonl";
const META = at({ id: "019f0000-0000-7000-8000-0000000000aa", cwd: "/x", cli_version: "0.169.0" }, "session_meta");
const MODEL = at({ model: "gpt-5.5", turn_id: "t" }, "turn_context");

const reportedOf = (...records: readonly unknown[]): Promise<ReportedCallsAnswer> =>
  inArchive(async (archive, logs) => {
    const lines = [META, MODEL, client({ type: "user_message", message: "Go." }), ...records];
    const path = put(logs, NAME, lines.map((record) => `${JSON.stringify(record)}\n`).join(""));
    const { files } = await importPaths(archive, [path]);
    return reportedCallsAnswer.parse(reportedCalls(archive, files[0]!.sessions[0]!));
  });

const rowsOf = ({ calls }: ReportedCallsAnswer) =>
  calls.map(({ call, calls: of, usage, reported, differs }) => [
    call,
    of,
    usage.inputUncached + usage.cacheRead + usage.output,
    reported.inputUncached + reported.cacheRead + reported.output,
    differs,
  ]);

test("each call has what the agent's sum grew by; a sum that is told again is none", async () => {
  const answered = await reportedOf(
    said("assistant", "One."),
    counted(tokens(100, 40, 10), tokens(100, 40, 10)),
    counted(tokens(100, 40, 10), tokens(100, 40, 10)),
    said("assistant", "Two."),
    counted(tokens(300, 140, 30), tokens(200, 100, 20)),
  );
  expect(rowsOf(answered)).toEqual([
    [1, 1, 110, 110, false],
    [2, 1, 220, 220, false],
  ]);
  expect(answered).toMatchObject({ differences: [], why: null });
  expect(answered.calls[1]!.reported).toMatchObject({ inputUncached: 100, cacheRead: 100, output: 20 });
});

test("a call that is not in the file makes the sum grow by more: a difference, at that call", async () => {
  const answered = await reportedOf(
    said("assistant", "One."),
    counted(tokens(100, 0, 10), tokens(100, 0, 10)),
    said("assistant", "Two."),
    counted(tokens(400, 0, 30), tokens(200, 0, 15)),
    said("assistant", "Three."),
    counted(tokens(601, 0, 40), tokens(200, 0, 10)),
  );
  expect(rowsOf(answered)).toEqual([
    [1, 1, 110, 110, false],
    [2, 1, 215, 320, true],
    // Half a percent is rounding.
    [3, 1, 210, 211, false],
  ]);
  expect(answered.differences).toEqual(["At call 2 the agent counts 320 tokens; the file has 215."]);
});

test("sums that start again, or are damaged, say nothing of one call", async () => {
  const answered = await reportedOf(
    said("assistant", "One."),
    counted(tokens(500, 0, 50), tokens(500, 0, 50)),
    said("assistant", "Two."),
    counted(tokens(100, 0, 10), tokens(100, 0, 10)),
    said("assistant", "Three."),
    counted(null, tokens(100, 0, 10)),
    counted("7", null),
    said("assistant", "Four."),
    counted(tokens(350, 0, 35), tokens(150, 0, 15)),
  );
  expect(rowsOf(answered)).toEqual([
    [1, 1, 550, 550, false],
    // The third call came without a sum: the next one has grown by both.
    [4, 2, 275, 275, false],
  ]);
});

test("an agent that reports nothing of each call, and a file without sums, say so", async () => {
  expect(await reportedOf(said("assistant", "One."))).toMatchObject({
    calls: [],
    why: "This session's file holds no totals of its agent.",
  });
  await inArchive(async (archive, logs) => {
    const path = put(logs, "session.jsonl", claudeLines(prompt("p", 1, "Go."), answer("a", 2, "1", text("Gone."))));
    const { files } = await importPaths(archive, [path]);
    expect(reportedCalls(archive, files[0]!.sessions[0]!)).toMatchObject({
      calls: [],
      why: "This session's agent reports no figures per call.",
    });
  });
});
