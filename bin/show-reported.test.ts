// What an agent counts itself of each call, on the command line.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { inFolder, put, withArchive } from "#lib/archive/testing-archive.ts";
import { reportedCallsAnswer } from "#lib/wire/reported-calls-schema.ts";
import { entryOf } from "../scripts/bundle.mjs";

const NATIVE = "019f0000-0000-7000-8000-0000000000aa";
const record = (type: string, payload: object): string =>
  `${JSON.stringify({ timestamp: "2026-01-02T03:04:05.000Z", type, payload })}\n`;
const said = (text: string): string =>
  record("response_item", { type: "message", role: "assistant", content: [{ type: "output_text", text }] });
const usage = (input: number, output: number) => ({
  input_tokens: input,
  output_tokens: output,
  total_tokens: input + output,
});
const counted = (total: object, last: object): string =>
  record("event_msg", { type: "token_count", info: { total_token_usage: total, last_token_usage: last } });

test("show says how far the agent's own figures agree, and where they do not", { timeout: 60_000 }, () =>
  inFolder(async (dir) => {
    const text = [
      record("session_meta", { id: NATIVE, cwd: "/x", cli_version: "0.169.0" }),
      record("turn_context", { model: "gpt-5.5", turn_id: "t" }),
      said("Low."),
      counted(usage(1000, 100), usage(1000, 100)),
      said("High."),
      counted(usage(4000, 300), usage(2000, 150)),
    ].join("");
    await withArchive(join(dir, "archive"), async (archive) => {
      await importPaths(archive, [put(dir, `rollout-2026-01-02T03-04-05-${NATIVE}.jsonl`, text)]);
    });
    const env = {
      PATH: process.env["PATH"],
      HOME: dir,
      PLIMSOLL_ARCHIVE: join(dir, "archive"),
      NODE_ENV: "test" as const,
    };
    const show = (...words: string[]): string =>
      execFileSync(process.execPath, [entryOf("bin/plimsoll.ts"), "show", NATIVE, ...words], { env, encoding: "utf8" });
    expect(show()).toMatch(
      /Reported +agent and file agree on 1 of 2 calls.*\. At call 2 the agent counts 3,200 tokens; the file has 2,150\./,
    );
    const { reportedCalls } = JSON.parse(show("--json")) as { reportedCalls: unknown };
    expect(reportedCallsAnswer.parse(reportedCalls).calls.map(({ call, differs }) => [call, differs])).toEqual([
      [1, false],
      [2, true],
    ]);
  }),
);
