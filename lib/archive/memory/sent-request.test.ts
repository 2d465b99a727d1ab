import { expect, test } from "vitest";
import { answer, jsonl, line, prompt, text, used } from "#lib/formats/claude-code/testing-claude.ts";
import {
  came,
  MARK,
  reminder,
  said,
  SESSION_RECORDS,
  shape,
} from "#lib/formats/claude-code/testing-claude-requests.ts";
import { contextQuery } from "#lib/wire/memory-schema.ts";
import { sentRequestAnswer } from "#lib/wire/sent-request-schema.ts";
import { importPaths } from "../import/import-paths.ts";
import { inArchive, put } from "../testing-archive.ts";
import { sessionLedger } from "../load/session-ledger.ts";
import { contextOf } from "./context.ts";
import { sentRequestOf } from "./sent-request.ts";

const imported = (records: readonly unknown[], work: (ask: (call: number) => unknown) => void): Promise<void> =>
  inArchive(async (archive, logs) => {
    const { files } = await importPaths(archive, [put(logs, "session.jsonl", jsonl(...records))]);
    const id = files[0]!.sessions[0]!;
    work((call) => sentRequestAnswer.parse(sentRequestOf(archive, id, { call })));
  });

// Lines that carry no uuid of their own name the session as every line does.
const RECORDS = SESSION_RECORDS.map((record) =>
  record["sessionId"] === "s" ? { ...record, sessionId: prompt("p", 1, "")["sessionId"] } : record,
);

test("each call of a session whose file holds its requests has the body that was sent", () =>
  imported(RECORDS, (ask) => {
    expect(ask(1)).toMatchObject({
      requestId: "req-1",
      isWhole: true,
      source: "sdk",
      messages: { count: 2, proven: 2 },
    });
    expect(ask(2)).toMatchObject({
      requestId: "req-2",
      isWhole: true,
      why: null,
      body: {
        model: "claude-opus-5-5",
        tools: shape.tools,
        messages: [
          reminder,
          { role: "system", content: "# Environment\nharbour" },
          said,
          { role: "user", content: [{ ...came.content[0], cache_control: MARK }] },
        ],
      },
    });
  }));

test("without such records, or without the answer's word on it, there is none, and it says why", async () => {
  const talk = RECORDS.filter(({ type }) => type === "user" || type === "assistant");
  await imported(talk, (ask) =>
    expect(ask(1)).toMatchObject({ isWhole: false, body: null, why: expect.stringContaining("does not hold") }),
  );
  const unnamed = RECORDS.map((record) => ({ ...record, requestRef: undefined }));
  await imported(unnamed, (ask) =>
    expect(ask(2)).toMatchObject({ isWhole: false, body: null, why: expect.stringContaining("does not name") }),
  );
});

test("system prompt and tools weigh in the ledger from call to call, until another shape stands in their place", () =>
  inArchive(async (archive, logs) => {
    const sessionId = prompt("p", 1, "")["sessionId"];
    const tool = (name: string) => ({ name, description: "Opens a gate. ".repeat(40), input_schema: {} });
    const shaped = (hash: string, ...names: readonly string[]) => ({
      type: "api-request-shape",
      sessionId,
      shapeHash: hash,
      shape: { system: [text("You are a pilot. ".repeat(50))], tools: names.map(tool) },
    });
    const records = [
      prompt("one", 1, "Go."),
      shaped("a", "Bash", "mcp__harbour__open"),
      answer("a1", 2, "1", text("I go."), { usage: used(10, 0, 600, 5) }),
      prompt("two", 3, "On."),
      shaped("b", "Bash"),
      answer("a2", 4, "2", text("I went."), { usage: used(10, 0, 480, 5) }),
      line("system", "cut", 5, { subtype: "compact_boundary", compactMetadata: { trigger: "auto", preTokens: 490 } }),
      line("user", "sum", 5, { isCompactSummary: true, message: { role: "user", content: "We went." } }),
      answer("a3", 6, "3", text("Done."), { usage: used(10, 0, 450, 5) }),
    ];
    const { files } = await importPaths(archive, [put(logs, "session.jsonl", jsonl(...records))]);
    const { items, calls } = await sessionLedger(archive, files[0]!.sessions[0]!, { counted: true });
    const stays = items.flatMap(({ label, enteredAt, leftAt }) =>
      /^(?:system_prompt|tool_schema)/.test(label) ? [[label.slice(0, 18), enteredAt, leftAt]] : [],
    );
    expect(stays).toEqual([
      ["system_prompt You ", 1, null],
      ["tool_schema Bash {", 1, null],
      ["tool_schema mcp__h", 1, 2],
    ]);
    expect(calls.map(({ sum, prefix }) => [sum, prefix])).toEqual([
      [610, 0],
      [490, 0],
      [460, 0],
    ]);
    const context = await contextOf(archive, files[0]!.sessions[0]!, contextQuery.parse({}));
    expect(context.messages.map(({ role, label }) => [role, label.slice(0, 20)])).toEqual([
      ["system", "You are a pilot. You"],
      ["user", "We went."],
      ["assistant", "Done."],
    ]);
  }));

test("a call that is not there is said", () =>
  imported(RECORDS, (ask) => expect(() => ask(3)).toThrow("No call 3 in this session. It has 2 calls.")));
