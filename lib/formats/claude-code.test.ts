import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { eventBody } from "#lib/kernel/event.ts";
import { claudeCode } from "./claude-code.ts";
import {
  answer,
  asks,
  bodies,
  calls,
  events,
  fileOf,
  idOf,
  jsonl,
  line,
  OTHER_SESSION,
  parse,
  patches,
  problems,
  prompt,
  recordsOf,
  result,
  run,
  SESSION,
  text,
  used,
} from "./claude-code/testing-claude.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAYAAAC56t6BAAAADUlEQVR42mP8z8BQDwAEhQGA60e6kgAAAABJRU5ErkJggg==";
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } };
const starts = (...records: unknown[]) => events(parse(...records)).map(({ startsTurn }) => startsTurn);

test("a file is known by its ids and parents, also where no line says whether it is a side chain", () => {
  const { isSidechain: _, ...bare } = JSON.parse(JSON.stringify(prompt("1", 1, "Hello"))) as Record<string, unknown>;
  const detect = (record: unknown): boolean =>
    claudeCode.detect({ path: "a.jsonl", head: Buffer.from(`${JSON.stringify(record)}\n`), sidecars: new Map() });
  expect([detect(bare), detect({ ...bare, parentUuid: undefined })]).toEqual([true, false]);
});

describe("turns", () => {
  test("start where a person writes, and nowhere else", () => {
    expect(
      starts(
        prompt("1", 1, "Hello"),
        prompt("2", 2, [text("Hello in a block")]),
        result("3", 3, "t", "a result"),
        prompt("4", 4, "Caveat: made by the client", { isMeta: true }),
        prompt("5", 5, "This session is being continued", { isCompactSummary: true }),
        prompt("6", 6, "<command-name>/clear</command-name>"),
        prompt("7", 7, "<local-command-stdout>done</local-command-stdout>"),
        prompt("8", 8, "<bash-input>ls</bash-input>"),
        prompt("9", 9, "<task-notification>an agent is done</task-notification>"),
        prompt("10", 10, "<system-reminder>be careful</system-reminder>"),
        prompt("11", 11, "[Request interrupted by user]"),
        prompt("12", 12, "<ide_opened_file>a.ts</ide_opened_file> What is this?"),
        prompt("13", 13, [image]),
        line("attachment", "14", 14, { attachment: { type: "queued_command", prompt: "and then this" } }),
        line("attachment", "15", 15, { attachment: { type: "queued_command", prompt: "<task-notification>x" } }),
        line("attachment", "16", 16, { attachment: { type: "edited_text_file", filename: "a.ts" } }),
        answer("17", 17, "1", text("An answer")),
      ),
    ).toEqual([true, true, ...Array<boolean>(9).fill(false), true, true, true, false, false, false]);
  });

  test("an injected text says what it is", () => {
    const kinds = bodies(
      parse(
        prompt("1", 1, "x", { isMeta: true }),
        prompt("2", 2, "x", { isCompactSummary: true }),
        prompt("3", 3, "<command-name>/x"),
        prompt("4", 4, "<system-reminder>x"),
        prompt("5", 5, "[Request interrupted by user for tool use]"),
      ),
    ).map((body) => (body.type === "user" ? body.injected : null));
    expect(kinds).toEqual(["meta", "summary", "command", "reminder", "interrupted"]);
  });

  test("words beside a result are the client's, and stay in their place", () => {
    const record = prompt("1", 1, [
      { type: "tool_result", tool_use_id: "a", content: "one" },
      text("a reminder"),
      { type: "tool_result", tool_use_id: "b", content: [text("two"), text("lines")], is_error: true },
    ]);
    const found = events(parse(record));
    expect(found.map(({ startsTurn }) => startsTurn)).toEqual([false, false, false]);
    expect(found.map(({ body }) => body)).toEqual([
      { type: "tool_result", toolCallId: "a", text: "one", isError: false, saw: "full" },
      { type: "user", text: "a reminder", injected: "beside a result" },
      { type: "tool_result", toolCallId: "b", text: "two\nlines", isError: true, saw: "full" },
    ]);
    expect(new Set(found.map(({ recordKey }) => recordKey))).toEqual(new Set([idOf("1")]));
  });
});

describe("model calls", () => {
  test("all lines of one answer are one call, by message and request", () => {
    const drafts = parse(
      answer(
        "a",
        1,
        "1",
        { type: "thinking", thinking: "hm", signature: "x".repeat(40) },
        { stop: null, usage: used(2, 30, 40, 1) },
      ),
      answer("b", 2, "1", text("first"), { stop: null, usage: used(2, 30, 40, 5) }),
      answer("c", 3, "1", asks("t", "Read", { file_path: "a" }), { stop: "tool_use", usage: used(2, 30, 40, 631) }),
      answer("d", 4, "1", text("the same message, asked again"), { request: "req_other" }),
    );
    const keys = calls(drafts).map(({ key }) => key);
    expect(new Set(keys)).toEqual(new Set(["msg_1:req_1", "msg_1:req_other"]));
    expect(calls(drafts).map(({ usage }) => usage?.output)).toEqual([1, 5, 631, 50]);
    expect(events(drafts).map(({ callKey, body }) => [callKey, body.type])).toEqual([
      ["msg_1:req_1", "reasoning"],
      ["msg_1:req_1", "assistant"],
      ["msg_1:req_1", "tool_call"],
      ["msg_1:req_other", "assistant"],
    ]);
  });

  test("without a stop reason the output is a lower bound", () => {
    const bounds = (stop: string | null) =>
      calls(parse(answer("a", 1, "1", text("x"), { stop }))).map(({ outputLowerBound }) => outputLowerBound);
    expect(bounds(null)).toEqual([true]);
    expect(bounds("end_turn")).toEqual([false]);
  });

  test("a message that the client made is no call: an error, with its words", () => {
    const drafts = parse(
      answer("a", 1, "1", text("API Error: prompt is too long"), {
        model: "<synthetic>",
        more: { isApiErrorMessage: true },
      }),
    );
    expect(calls(drafts)).toEqual([]);
    expect(bodies(drafts)).toEqual([{ type: "error", text: "API Error: prompt is too long" }]);
    expect(patches(drafts)["model"]).toBeUndefined();
  });

  test("fast mode is another model: it has a price of its own", () => {
    const speed = (name: unknown) => ({ usage: { ...used(2, 30, 40, 5), speed: name } });
    const drafts = parse(
      answer("a", 1, "1", text("x"), speed("fast")),
      answer("b", 2, "2", text("y"), speed("standard")),
      answer("c", 3, "3", text("z"), speed(null)),
    );
    expect(calls(drafts).map(({ model }) => model)).toEqual(["claude-opus-5-fast", "claude-opus-5", "claude-opus-5"]);
  });

  test("inference in the United States alone and batches are models with prices of their own", () => {
    const told = (more: object, model = "claude-opus-5") => ({ usage: { ...used(2, 30, 40, 5), ...more }, model });
    const drafts = parse(
      answer("a", 1, "1", text("x"), told({ inference_geo: "us" })),
      answer("b", 2, "2", text("y"), told({ inference_geo: "global", service_tier: "priority" })),
      answer("c", 3, "3", text("z"), told({ inference_geo: "us", service_tier: "batch", speed: "fast" })),
      answer("d", 4, "4", text("z"), told({ inference_geo: "us" }, "glm-5")),
      answer("e", 5, "5", text("z"), told({ inference_geo: "not_available", service_tier: "batch" })),
    );
    expect(calls(drafts).map(({ model }) => model)).toEqual([
      "claude-opus-5-us",
      "claude-opus-5",
      "claude-opus-5-fast-us-batch",
      "glm-5",
      "claude-opus-5-batch",
    ]);
  });

  test("an answer without usage is a call, and without content it still has a place", () => {
    expect(calls(parse(answer("a", 1, "1", text("x"), { usage: null })))).toMatchObject([{ usage: null }]);
    const empty = parse(answer("a", 1, "1", undefined));
    expect(calls(empty)).toHaveLength(1);
    expect(bodies(empty)).toEqual([{ type: "meta", subtype: "empty answer", text: "" }]);
  });

  test("reasoning without words weighs what its signature does", () => {
    const drafts = parse(
      answer("a", 1, "1", { type: "thinking", thinking: "", signature: "s".repeat(400) }),
      answer("b", 2, "1", { type: "redacted_thinking", data: "d".repeat(70) }),
    );
    expect(bodies(drafts)).toEqual([
      { type: "reasoning", text: "", signatureChars: 400 },
      { type: "reasoning", text: "", encrypted: true, signatureChars: 70 },
    ]);
  });

  test("a tool that the provider ran is hosted, with its result", () => {
    const drafts = parse(
      answer("a", 1, "1", { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "tides" } }),
      answer("b", 2, "1", {
        type: "web_search_tool_result",
        tool_use_id: "s1",
        content: [{ type: "web_search_result", title: "T" }],
      }),
    );
    expect(bodies(drafts)[0]).toMatchObject({ type: "tool_call", hosted: true, toolName: "web_search" });
    expect(bodies(drafts)[1]).toMatchObject({
      type: "tool_result",
      toolCallId: "s1",
      text: expect.stringContaining('"title":"T"'),
    });
  });
});

describe("results", () => {
  test("what the client knew beside the text is kept, and bounded", () => {
    const detail = (toolUseResult: unknown, more = {}) => {
      const [body] = bodies(parse(result("r", 1, "t", "Exit code 2", { toolUseResult, ...more })));
      return body?.type === "tool_result" ? body.detail : undefined;
    };
    expect(detail({ stdout: "", interrupted: true })).toEqual({ interrupted: true });
    expect(detail({}, { is_error: true })).toEqual({ exitCode: 2 });
    expect(detail({ agentId: "a1", totalDurationMs: 5000, totalTokens: 900 })).toEqual({
      agentId: "a1",
      durationMs: 5000,
      agentTokens: 900,
    });
    expect(detail({ durationSeconds: 1.5 })).toEqual({ durationMs: 1500 });
    expect(detail({ type: "text", file: { filePath: "/a.ts", totalLines: 9 } })).toEqual({
      filePath: "/a.ts",
      totalLines: 9,
    });
    const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-a", "+b"] };
    expect(detail({ filePath: "/a.ts", originalFile: "whole", structuredPatch: [hunk] })).toEqual({
      filePath: "/a.ts",
      patch: [{ oldStart: 1, newStart: 1, lines: ["-a", "+b"] }],
    });
    expect(detail({ structuredPatch: [{ ...hunk, lines: Array(500).fill("+x") }] })).toBeUndefined();
    for (const odd of ["Error: no", [1, 2], null, 7]) expect(detail(odd)).toBeUndefined();
  });

  test("of a line with two results the client's copy belongs to neither", () => {
    const record = prompt(
      "1",
      1,
      [
        { type: "tool_result", tool_use_id: "a", content: "one" },
        { type: "tool_result", tool_use_id: "b", content: "two" },
      ],
      { toolUseResult: { agentId: "x" } },
    );
    for (const body of bodies(parse(record))) expect(body).not.toHaveProperty("detail");
  });

  test("images come out of prompts, results and answers as attachments", () => {
    const drafts = events(
      parse(
        prompt("p", 1, [text("look"), image]),
        result("r", 2, "t", [text("a picture"), image, image]),
        answer("a", 3, "1", image),
        prompt("d", 4, [
          { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERg==" } },
        ]),
      ),
    );
    expect(drafts.map(({ attachments }) => attachments?.map(({ mediaType }) => mediaType))).toEqual([
      ["image/png"],
      ["image/png", "image/png"],
      ["image/png"],
      ["application/pdf"],
    ]);
    for (const { body } of drafts)
      expect("images" in body && body.images?.map(({ attachment }) => attachment)).toEqual(
        "images" in body && body.images?.map((_, i) => i),
      );
    expect(drafts[1]?.body).toMatchObject({ text: "a picture" });
  });

  test("an image by URL is text, never fetched", () => {
    const [body] = bodies(
      parse(prompt("p", 1, [{ type: "image", source: { type: "url", url: "http://example.invalid/x.png" } }])),
    );
    expect(body).toMatchObject({ type: "user", text: expect.stringContaining("example.invalid") });
    expect(body).not.toHaveProperty("images");
  });
});

describe("outputs that the agent put into a file", () => {
  const preview = (path: string): string =>
    `<persisted-output>\nOutput too large (53.6KB). Full output saved to: ${path}\n\nPreview (first 2KB):\nabc\n...\n</persisted-output>`;
  const path = String.raw`C:\Users\ada\.claude\projects\-harbour\0ld\tool-results\b1.txt`;

  test("the preview is what the model saw; where the whole lies, and its size, are told", () => {
    const [draft] = events(
      parse(result("r", 1, "t", preview(path), { toolUseResult: { persistedOutputSize: 54_900 } })),
    );
    expect(draft?.body).toMatchObject({
      saw: "preview",
      offloadedBy: "agent",
      storedPath: path,
      storedBytes: 54_900,
      text: preview(path),
    });
    expect(draft?.fullText).toBeUndefined();
  });

  test("a stated size alone is read with its unit", () => {
    const [draft] = events(parse(result("r", 1, "t", preview("/a/b.txt"))));
    expect(draft?.body).toMatchObject({ storedPath: "/a/b.txt", storedBytes: Math.round(53.6 * 1024) });
  });

  test("the whole output in the same line is found", () => {
    const stdout = "whole\n".repeat(1000);
    const [draft] = events(parse(result("r", 1, "t", preview(path), { toolUseResult: { stdout, stderr: "warn" } })));
    expect(draft?.fullText).toBe(`${stdout}\nwarn`);
  });

  test("it is looked for where the agent said, beside this session, and where the copied session had it", () => {
    expect(claudeCode.fullOutputPaths!(`/p/${SESSION}.jsonl`, path)).toEqual([
      path,
      `/p/${SESSION}/tool-results/b1.txt`,
      "/p/0ld/tool-results/b1.txt",
    ]);
  });
});

describe("compactions", () => {
  test("a boundary has its trigger, the tokens before and after, and what was preserved", () => {
    const drafts = parse(
      line("system", "c", 1, {
        subtype: "compact_boundary",
        content: "Conversation compacted",
        compactMetadata: {
          trigger: "auto",
          preTokens: 998_659,
          postTokens: 40_000,
          preservedMessages: { uuids: [idOf("x"), 7] },
        },
      }),
      prompt("s", 2, "This session is being continued …", { isCompactSummary: true }),
    );
    expect(bodies(drafts)).toEqual([
      {
        type: "compaction",
        kind: "full",
        trigger: "auto",
        tokensBefore: 998_659,
        tokensAfter: 40_000,
        text: "Conversation compacted",
        preserved: [idOf("x")],
      },
      { type: "user", text: "This session is being continued …", injected: "summary" },
    ]);
  });

  test("a micro compaction names the results that it blanked", () => {
    const drafts = parse(
      line("system", "c", 1, {
        subtype: "microcompact_boundary",
        microcompactMetadata: {
          trigger: "auto",
          preTokens: 90_000,
          tokensSaved: 30_000,
          compactedToolIds: ["t1", "t2"],
        },
      }),
    );
    expect(bodies(drafts)[0]).toMatchObject({
      kind: "micro",
      tokensBefore: 90_000,
      tokensAfter: 60_000,
      cleared: ["t1", "t2"],
    });
  });
});

describe("sub-agents", () => {
  const side = { isSidechain: true, agentId: "a1b2c3d4" };

  test("in a file of their own, with what lies beside it", () => {
    const path = `/p/${SESSION}/subagents/agent-a1b2c3d4.jsonl`;
    const beside = claudeCode.sidecars!(path);
    expect(beside).toEqual([`/p/${SESSION}/subagents/agent-a1b2c3d4.meta.json`]);
    const meta = JSON.stringify({
      agentType: "explorer",
      description: "Look around",
      toolUseId: "toolu_9",
      spawnDepth: 1,
    });
    const { drafts, state } = run(
      jsonl(prompt("p", 1, "Go", side), answer("a", 2, "1", text("Gone"), { more: side })),
      path,
      { [beside[0]!]: meta },
    );
    expect(claudeCode.identify(state)).toBe(`${SESSION}/a1b2c3d4`);
    expect(new Set(events(drafts).map(({ lane }) => lane))).toEqual(new Set([""]));
    expect(patches(drafts)).toMatchObject({
      relation: "subagent",
      parent: SESSION,
      parentToolCallId: "toolu_9",
      agentName: "explorer",
      title: "Look around",
    });
    expect(events(drafts)[0]?.startsTurn).toBe(true);
  });

  test("in a file of their own without anything beside it, or with rubbish", () => {
    const path = "/p/agent-a1b2c3d4.jsonl";
    for (const meta of [undefined, "not json", "[]"]) {
      const { state, drafts } = run(
        jsonl(prompt("p", 1, "Go", side)),
        path,
        meta === undefined ? {} : { "/p/agent-a1b2c3d4.meta.json": meta },
      );
      expect(claudeCode.identify(state)).toBe(`${SESSION}/a1b2c3d4`);
      expect(patches(drafts)).toMatchObject({ relation: "subagent", parent: SESSION });
    }
  });

  test("inside the parent's file by their agent id", () => {
    const { drafts, state } = run(
      jsonl(
        prompt("p", 1, "Main"),
        prompt("s", 2, "Side", side),
        answer("a", 3, "1", text("x"), { more: side }),
        answer("m", 4, "2", text("y")),
      ),
    );
    expect(events(drafts).map(({ lane }) => lane)).toEqual(["", "a1b2c3d4", "a1b2c3d4", ""]);
    expect(calls(drafts).map(({ lane }) => lane)).toEqual(["a1b2c3d4", ""]);
    expect(claudeCode.identify(state)).toBe(SESSION);
    expect(patches(drafts, "a1b2c3d4")).toMatchObject({ relation: "subagent" });
    expect(patches(drafts, "a1b2c3d4")["parent"]).toBeUndefined();
  });

  test("inside the parent's file by their chain of parents alone, two at once", () => {
    const chain = (label: string, second: number, parent: string | null, words: string) =>
      prompt(label, second, words, { isSidechain: true, parentUuid: parent === null ? null : idOf(parent) });
    const { drafts } = run(
      jsonl(
        prompt("p", 1, "Main"),
        chain("a1", 2, null, "A"),
        chain("b1", 3, null, "B"),
        chain("a2", 4, "a1", "A"),
        chain("b2", 5, "b1", "B"),
        chain("a3", 6, "a1", "A"),
      ),
    );
    const lanes = new Map<string, Set<string>>();
    for (const { lane, body } of events(drafts).slice(1)) {
      const words = body.type === "user" ? body.text : "";
      lanes.set(words, (lanes.get(words) ?? new Set()).add(lane));
    }
    expect([...lanes.values()].map((set) => set.size)).toEqual([1, 1]);
    expect(lanes.get("A")).not.toEqual(lanes.get("B"));
    expect([...lanes.get("A")!][0]).not.toBe("");
  });

  test("an empty agent id names nobody", () => {
    const lanes = events(parse(prompt("p", 1, "x"), prompt("s", 2, "y", { isSidechain: true, agentId: "" }))).map(
      ({ lane }) => lane,
    );
    expect(lanes[0]).toBe("");
    expect(lanes[1]).not.toBe("");
  });

  test("progress ties a call to the agent that it started", () => {
    const drafts = parse(
      line("progress", "g", 1, { parentToolUseID: "toolu_1", data: { type: "agent_progress", agentId: "a1b2c3d4" } }),
      line("progress", "h", 2, { parentToolUseID: "toolu_1", data: { type: "bash_progress", output: "…" } }),
    );
    expect(drafts.filter(({ kind }) => kind === "link")).toEqual([
      { kind: "link", lane: "", toolCallId: "toolu_1", agentId: "a1b2c3d4" },
    ]);
    expect(bodies(drafts).map(({ type }) => type)).toEqual(["meta", "meta"]);
  });
});

describe("what a session is called", () => {
  test("its file's name when that is a uuid, else the id on most lines", () => {
    const lines = jsonl(prompt("1", 1, "x", { sessionId: OTHER_SESSION }), prompt("2", 2, "y"), prompt("3", 3, "z"));
    expect(claudeCode.identify(run(lines, `/p/${OTHER_SESSION.toUpperCase()}.jsonl`).state)).toBe(OTHER_SESSION);
    expect(claudeCode.identify(run(lines, "/p/backup.jsonl").state)).toBe(SESSION);
    expect(claudeCode.identify(run("", "/p/backup.jsonl").state)).toBeNull();
  });

  test("a title: first words, then a made one, then a person's", () => {
    const drafts = parse(
      prompt("1", 1, "<system-reminder>x</system-reminder>Fix the tide table\nplease"),
      line("ai-title", "2", 2, { aiTitle: "Tide table" }),
      line("custom-title", "3", 3, { customTitle: "My harbour" }),
      line("summary", "4", 4, { summary: "Another conversation", leafUuid: idOf("z") }),
    );
    const titles = drafts.flatMap((draft) =>
      draft.kind === "session" && draft.patch.title ? [[draft.patch.title, draft.patch.titleRank]] : [],
    );
    expect(titles.slice(-2)).toEqual([
      ["Tide table", 1],
      ["My harbour", 2],
    ]);
  });

  test("folder, branch, version and model are told when they change", () => {
    const drafts = parse(
      prompt("1", 1, "x"),
      prompt("2", 2, "y"),
      answer("a", 3, "1", text("z")),
      prompt("3", 4, "w", { gitBranch: "ebb" }),
    );
    expect(patches(drafts)).toMatchObject({
      cwd: "/home/ada/harbour",
      branch: "ebb",
      agentVersion: "2.1.219",
      model: "claude-opus-5",
    });
    expect(drafts.filter((draft) => draft.kind === "session" && "cwd" in draft.patch)).toHaveLength(2);
  });
});

describe("records that are not conversation", () => {
  test("known ones are meta; one of an unknown type is kept as it is", () => {
    const types = [
      "summary",
      "mode",
      "permission-mode",
      "pr-link",
      "queue-operation",
      "file-history-snapshot",
      "last-prompt",
      "frame-link",
    ];
    expect(bodies(parse(...types.map((type, i) => line(type, type, i)))).map(({ type }) => type)).toEqual(
      types.map(() => "meta"),
    );
    const [unknown] = bodies(parse(line("of-tomorrow", "u", 1, { value: 7 })));
    expect(unknown).toMatchObject({
      type: "unknown",
      reason: expect.stringContaining("of-tomorrow"),
      text: expect.stringContaining('"value":7'),
    });
  });

  test("an error of the provider is an error", () => {
    const [body] = bodies(
      parse(line("system", "e", 1, { subtype: "api_error", error: { message: "Overloaded", status: 529 } })),
    );
    expect(body).toEqual({ type: "error", text: "Overloaded", code: "api_error" });
  });

  test("a block of an unknown kind is kept", () => {
    expect(bodies(parse(answer("a", 1, "1", { type: "hologram", x: 1 })))[0]).toMatchObject({
      type: "unknown",
      text: expect.stringContaining("hologram"),
    });
  });

  test("a record that was just read is named a duplicate, by its whole id", () => {
    const twin = prompt("1", 1, "x");
    const drafts = parse(twin, twin, prompt("2", 2, "y"));
    expect(bodies(drafts).map((body) => (body.type === "meta" ? body.subtype : body.type))).toEqual([
      "user",
      "duplicate",
      "user",
    ]);
    expect(events(drafts)[1]?.recordKey).toBeNull();
  });
});

describe("the parser's state", () => {
  test.each(["session", "rewind"])("is JSON: a reading that is taken up from it goes on (%s)", (name) => {
    const fixture = readFileSync(join(import.meta.dirname, "fixtures", `claude-code-synthetic-${name}.jsonl`));
    const records = recordsOf(fixture);
    const whole = run(fixture).drafts;
    fc.assert(
      fc.property(fc.nat(records.length), (cut) => {
        const file = fileOf(`/logs/${SESSION}.jsonl`, fixture);
        const first = claudeCode.start(file);
        const before = records.slice(0, cut).flatMap((record) => claudeCode.parse(record, first));
        const second = JSON.parse(JSON.stringify(first)) as typeof first;
        const after = records.slice(cut).flatMap((record) => claudeCode.parse(record, second));
        expect([...before, ...after]).toEqual(whole);
      }),
    );
  });

  test("stays under 4 KB, whatever a file holds", () => {
    const many = Array.from({ length: 3000 }, (_, i) =>
      prompt(`n${i}`, i, "x", {
        sessionId: idOf(`s${i}`),
        isSidechain: i % 2 === 0,
        parentUuid: i % 3 === 0 ? null : idOf(`n${i - 2}`),
      }),
    );
    const { state } = run(jsonl(...many));
    expect(JSON.stringify(state).length).toBeLessThan(4096);
  });
});

test("every event of every synthetic file is valid, and none is a problem", () => {
  for (const name of [
    "claude-code-synthetic-session.jsonl",
    "claude-code-synthetic-agent.jsonl",
    "claude-code-synthetic-rewind.jsonl",
  ]) {
    const { drafts } = run(readFileSync(join(import.meta.dirname, "fixtures", name)), `/logs/${name}`);
    expect(problems(drafts)).toEqual([]);
    for (const body of bodies(drafts)) expect(eventBody.safeParse(body).error).toBeUndefined();
    expect(events(drafts).length).toBeGreaterThan(5);
  }
});
