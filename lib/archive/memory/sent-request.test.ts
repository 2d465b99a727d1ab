import { expect, test } from "vitest";
import { answer, jsonl, line, prompt, text, used } from "#lib/formats/claude-code/testing-claude.ts";
import {
  MARK,
  SESSION_RECORDS,
  came,
  digest,
  reminder,
  request,
  said,
  shape,
} from "#lib/formats/claude-code/testing-claude-requests.ts";
import { contextQuery } from "#lib/wire/memory-schema.ts";
import { sentRequestAnswer } from "#lib/wire/sent-request-schema.ts";
import { findSession } from "../base/find-session.ts";
import { importPaths } from "../import/import-paths.ts";
import { inArchive, put } from "../testing-archive.ts";
import { sessionLedger } from "../load/session-ledger.ts";
import { eventsQuery } from "#lib/wire/events-schema.ts";
import { listEvents } from "../sessions/list-events.ts";
import { contextMessageOf, contextOf, contextPayload } from "./context.ts";
import { sessionContext } from "./session-context.ts";
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
    // A compaction takes turns: what stands before every request stays, and no summary tells of it.
    const { context: planned, traces } = await sessionContext(archive, findSession(archive, files[0]!.sessions[0]!));
    const frame = planned.log.rows.filter(({ body }) => body.type === "meta" && body.part !== undefined);
    expect(frame.length).toBeGreaterThan(1);
    expect(traces.filter(({ eventSeq }) => frame.some(({ seq }) => seq === eventSeq))).toEqual([]);
  }));

test("the context of a call is its request: rows with roles, marks and what their events weigh, and what changed", () =>
  inArchive(async (archive, logs) => {
    const { files } = await importPaths(archive, [put(logs, "session.jsonl", jsonl(...RECORDS))]);
    const id = files[0]!.sessions[0]!;
    const events = await listEvents(archive, id, eventsQuery.parse({}));
    const seqOf = (start: string): number => events.events.find((one) => one.text?.startsWith(start))!.seq;
    const at = seqOf("Boats.");
    const answer = await contextOf(archive, id, contextQuery.parse({ at, as: "sent" }));
    expect(answer).toMatchObject({ as: "sent", isSentKnown: true, whyNotSent: null, call: 2, prefix: 0 });
    expect(answer.messages.map(({ role, label, change, isMarked = false }) => [role, label, change, isMarked])).toEqual(
      [
        ["system", "You are a pilot.", "same", true],
        ["tools", "Bash", "same", false],
        ["user", "<system-reminder>tide tables</system-reminder> Go.", "same", false],
        ["system", "# Environment harbour", "same", false],
        ["assistant", 'I look. Bash {"command":"ls"}', "new", false],
        ["user", "boats", "new", true],
      ],
    );
    expect(answer.messages[2]!.seqs).toEqual([seqOf("Go.")]);
    expect(answer.messages[5]!.tokens).toBeGreaterThan(0);
    expect(JSON.parse(answer.payload.json)).toEqual(sentRequestOf(archive, id, { call: 2 }).body);
    expect(JSON.parse((await contextPayload(archive, id, contextQuery.parse({ at, as: "sent" }))).json)).toEqual(
      JSON.parse(answer.payload.json),
    );
    const whole = await contextMessageOf(archive, id, { at, as: "sent", list: "messages", index: 4 });
    expect(whole.text).toBe('I look.\nBash {"command":"ls"}');
    // In another form it says that the request is there; at the end no call was sent anything yet.
    expect(await contextOf(archive, id, contextQuery.parse({ at }))).toMatchObject({
      as: "openai-chat",
      isSentKnown: true,
    });
    expect(await contextOf(archive, id, contextQuery.parse({ as: "sent" }))).toMatchObject({
      as: "anthropic",
      isSentKnown: false,
      whyNotSent: null,
    });
  }));

test("a call whose request is broken falls back to the log, and says why", () =>
  inArchive(async (archive, logs) => {
    const { files } = await importPaths(archive, [put(logs, "session.jsonl", jsonl(...RECORDS.toSpliced(3, 1)))]);
    const answer = await contextOf(archive, files[0]!.sessions[0]!, contextQuery.parse({ at: 6, as: "sent" }));
    expect(answer).toMatchObject({ as: "anthropic", isSentKnown: false, call: 1 });
    expect(answer.whyNotSent).toContain("1 of its 2 messages is not in the file");
    expect(answer.messages.length).toBeGreaterThan(0);
  }));

test("an answer that the client made in the model's place is a message of the next request", () => {
  const made = { role: "assistant", content: [text("No response requested.")] };
  const last = { role: "user", content: "Go on." };
  const records = [
    ...RECORDS,
    answer("made", 5, "3", made.content[0], { model: "<synthetic>" }),
    prompt("on", 6, last.content),
    request("req-3", "req-2", 4, [digest(made), digest(last)], ["messages", 5, "content", 0]),
    answer("a4", 7, "4", text("Gone."), { more: { requestRef: "req-3" } }),
  ];
  return imported(records, (ask) => expect(ask(3)).toMatchObject({ isWhole: true, messages: { count: 6, proven: 6 } }));
});

test("a call that is not there is said", () =>
  imported(RECORDS, (ask) => expect(() => ask(3)).toThrow("No call 3 in this session. It has 2 calls.")));
