// pi's session files. All are written by hand; figures of a fixture are counted from its JSON by other means.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bodies, calls, events, patches } from "./codex/testing-codex.ts";
import { pi } from "./pi.ts";
import {
  answer,
  asks,
  drafted,
  entry,
  header,
  message,
  result,
  runPi,
  said,
  SESSION,
  USAGE,
  user,
} from "./pi/testing-pi.ts";

type Counts = Readonly<Record<"input" | "output" | "cacheRead" | "cacheWrite", number>>;
type Answer = { readonly role: string; readonly usage: Counts & { readonly cost: { readonly total: number } } };

const fixture = (name: string): { readonly message?: Answer }[] =>
  readFileSync(join(import.meta.dirname, "fixtures", name), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { message?: Answer });

test.each(["pi-synthetic-session.jsonl", "pi-synthetic-version-1.jsonl"])(
  "%s: calls, tokens and dollars are those of its answers, each once",
  (name) => {
    const records = fixture(name);
    const { drafts } = runPi(records);
    const answers = records.flatMap(({ message: one }) => (one?.role === "assistant" ? [one] : []));
    const sum = (pick: (usage: Answer["usage"]) => number): number =>
      answers.reduce((total, { usage }) => total + pick(usage), 0);
    const own = (field: string): number =>
      calls(drafts).reduce((total, { usage }) => total + ((usage as Record<string, number> | null)?.[field] ?? 0), 0);
    expect(calls(drafts)).toHaveLength(answers.length);
    expect(new Set(calls(drafts).map(({ key }) => key)).size).toBe(answers.length);
    expect(["inputUncached", "output", "cacheRead", "cacheWrite"].map(own)).toEqual(
      (["input", "output", "cacheRead", "cacheWrite"] as const).map((field) => sum((usage) => usage[field])),
    );
    const reported = drafts.findLast((draft) => draft.kind === "reported");
    expect(reported?.usd).toBeCloseTo(
      sum(({ cost }) => cost.total),
      8,
    );
    const byModel = Object.values(reported!.usage).reduce((total, { output }) => total + output, 0);
    expect(byModel).toBe(sum((usage) => usage.output));
  },
);

test("is found in its folder, in the ones that the environment names, and nowhere without a home", () => {
  expect(pi.sources({ HOME: "/home/ada" }, "linux")).toEqual([
    "/home/ada/.pi/agent/sessions",
    "/home/ada/.pi/agent/sessions.sqlite",
  ]);
  const named = { HOME: "/home/ada", PI_CODING_AGENT_DIR: "~/reef", PI_CODING_AGENT_SESSION_DIR: "/data/sessions" };
  expect(pi.sources(named, "linux")).toEqual([
    ...["/data/sessions", "/home/ada/reef/sessions", "/home/ada/reef/sessions.sqlite"],
  ]);
  expect(pi.sources({ USERPROFILE: "C:\\ada" }, "win32")[0]).toBe("C:\\ada\\.pi\\agent\\sessions");
  expect(pi.sources({}, "linux")).toEqual([]);
});

test("a header names the session, its folder and what it was forked from", () => {
  const from =
    "/home/ada/.pi/agent/sessions/--reef--/2026-03-01T09-00-00-000Z_019cae00-0000-7000-8000-00000000f000.jsonl";
  const { drafts, state } = runPi([header({ parentSession: from })]);
  expect(pi.identify(state)).toBe(SESSION);
  expect(patches(drafts)).toMatchObject({
    agentName: "pi",
    cwd: "/home/ada/reef",
    relation: "fork",
    parent: "019cae00-0000-7000-8000-00000000f000",
  });
});

test("a copied entry has the same name in both files; the same digits in another session have another", () => {
  const keys = (...values: unknown[]) => events(drafted(...values)).map(({ recordKey }) => recordKey);
  const first = message(1, user("One"));
  const [, own] = keys(header(), first);
  expect(keys(header({ id: "copy" }), first)[1]).toBe(own);
  expect(keys(header(), { ...first, timestamp: "2026-04-01T00:00:00.000Z" })[1]).not.toBe(own);
});

test("an answer is its thoughts, its words and its calls, and one call of the model", () => {
  const drafts = drafted(
    header(),
    message(1, user("Look")),
    message(
      2,
      answer([
        { type: "thinking", thinking: "Where?", thinkingSignature: "c".repeat(80) },
        said("I look."),
        asks("t1", "read", { path: "a.csv" }),
      ]),
    ),
  );
  const [call] = calls(drafts);
  const own = events(drafts).filter(({ callKey }) => callKey === call!.key);
  expect(own.map(({ body }) => body.type)).toEqual(["reasoning", "assistant", "tool_call"]);
  expect(own[0]!.body).toMatchObject({ text: "Where?", signatureChars: 80 });
  expect(own[2]!.body).toMatchObject({
    toolName: "read",
    input: { path: "a.csv" },
    native: { provider: "anthropic", messageContent: [{ type: "thinking", signature: "c".repeat(80) }] },
  });
  expect(patches(drafts)).toMatchObject({ title: "Look", titleRank: 0, model: "claude-opus-4-5" });
});

test("a field's name in place of a signature weighs nothing; what is redacted is said to be", () => {
  const thoughts = (more: object) =>
    bodies(drafted(header(), message(1, answer([{ type: "thinking", thinking: "", ...more }])))).at(1);
  expect(thoughts({ thinkingSignature: "reasoning_content" })).toEqual({ type: "reasoning", text: "" });
  expect(thoughts({ thinkingSignature: "x".repeat(50) + "=", redacted: true })).toMatchObject({
    encrypted: true,
    signatureChars: 51,
  });
});

test("an answer that failed is an error; where nothing was counted its call has no usage, and nobody paid", () => {
  const nothing = { ...USAGE, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: { total: 0 } };
  const failed = { usage: nothing, stopReason: "error", errorMessage: "429 slow down" };
  const drafts = drafted(header(), message(1, answer([], failed)));
  expect(bodies(drafts).at(1)).toEqual({ type: "error", text: "429 slow down", code: "error" });
  expect(calls(drafts)).toMatchObject([{ usage: null }]);
  expect(drafts.filter(({ kind }) => kind === "reported")).toEqual([]);
});

test("a cut output names the file with the whole, also in the words of a command that failed", () => {
  const path = "/tmp/pi-bash-0123456789abcdef.log";
  const cut = `tail\n\n[Showing lines 8-9 of 9 (50.0KB limit). Full output: ${path}]`;
  const failed = { isError: true };
  for (const [text, more] of [[cut, {}] as const, [`${cut}\n\nCommand exited with code 3`, failed] as const]) {
    const [body] = bodies(drafted(message(1, result("t1", text, more)))).slice(-1);
    expect(body).toMatchObject({ saw: "preview", storedPath: path, offloadedBy: "agent" });
  }
  const [exited] = bodies(drafted(message(1, result("t1", "Command exited with code 3", failed)))).slice(-1);
  expect(exited).toMatchObject({ saw: "full", isError: true, detail: { exitCode: 3 } });
  expect(pi.fullOutputFolder?.(path)).toBe("/tmp");
  for (const other of ["/etc/passwd", "/tmp/pi-bash-0123456789abcdef.log/x", "/tmp/pi-bash-1.log"])
    expect(pi.fullOutputFolder?.(other)).toBeNull();
});

test("an edit's diff becomes hunks; one of another shape is left to the record", () => {
  const hunks = (diff: string) => {
    const body = bodies(drafted(message(1, result("t1", "ok", { details: { diff } })))).at(-1)!;
    return body.type === "tool_result" ? body.detail?.patch : null;
  };
  expect(hunks("  1 a\n- 2 b\n+ 2 c\n    ...\n 12 z")).toEqual([
    { oldStart: 1, newStart: 1, lines: [" a", "-b", "+c"] },
    { oldStart: 12, newStart: 12, lines: [" z"] },
  ]);
  expect(hunks("no numbers")).toBeUndefined();
});

test("an entry with another parent than the line above is a rewind to that parent", () => {
  const drafts = drafted(
    header(),
    message(1, user("One")),
    message(2, user("Two")),
    message(3, user("Other"), 1),
    message(4, user("Anew"), 0),
    message(5, user("On")),
  );
  const one = events(drafts).find(({ body }) => "text" in body && body.text === "One")!;
  expect(bodies(drafts).filter(({ type }) => type === "rewind")).toEqual([
    { type: "rewind", text: "", after: one.recordKey },
    { type: "rewind", text: "", after: null },
  ]);
});

test("a compaction keeps what begins with the entry that it names; the summary is sent in pi's own words", () => {
  const drafts = drafted(
    header(),
    message(1, user("One")),
    message(2, user("Two")),
    entry(3, "compaction", { summary: "One was said.", firstKeptEntryId: "e2", tokensBefore: 900 }),
  );
  const two = events(drafts).find(({ body }) => "text" in body && body.text === "Two")!;
  const [boundary, summary] = bodies(drafts).slice(-2);
  expect(boundary).toMatchObject({ type: "compaction", tokensBefore: 900, keptFrom: two.recordKey });
  expect(summary).toMatchObject({ type: "user", injected: "summary" });
  expect((summary as { text: string }).text).toMatch(
    /^The conversation history .*<summary>\nOne was said.\n<\/summary>$/s,
  );
});

test("version 1 has no ids: entries are known by their number, and a compaction names one by it", () => {
  const drafts = runPi(fixture("pi-synthetic-version-1.jsonl")).drafts;
  const compaction = bodies(drafts).find(({ type }) => type === "compaction") as { keptFrom: string };
  const kept = events(drafts).find(({ recordKey }) => recordKey === compaction.keptFrom);
  expect(kept?.body).toMatchObject({ type: "user", text: "Second" });
});

test("a run that stands inside a result is a session of its own, and its calls are counted there", () => {
  const { drafts } = runPi(fixture("pi-synthetic-subagent.jsonl"));
  const inside = drafts.filter((draft) => draft.kind !== "problem" && draft.lane === "toolu_21.1");
  expect(calls(inside)).toHaveLength(2);
  // Its messages have times of their own, in milliseconds; the record that holds them is of 09:00:40.
  expect(events(inside)[0]!.ts).toBe(1_772_442_039_100);
  expect(patches(inside)).toMatchObject({ relation: "subagent", agentName: "scout", title: "Find the wrecks" });
  expect(drafts).toContainEqual({ kind: "link", lane: "", toolCallId: "toolu_21", agentId: "toolu_21.1" });
  expect(calls(drafts.filter((draft) => draft.kind !== "problem" && draft.lane === ""))).toHaveLength(2);
});

test("what a person ran beside the conversation is sent, unless the person kept it out", () => {
  const ran = { role: "bashExecution", command: "ls", output: "a", exitCode: 2, cancelled: false, truncated: false };
  expect(bodies(drafted(message(1, ran))).at(-1)).toEqual({
    type: "user",
    text: "Ran `ls`\n```\na\n```\n\nCommand exited with code 2",
    injected: "command",
  });
  expect(bodies(drafted(message(1, { ...ran, excludeFromContext: true }))).at(-1)).toMatchObject({ type: "meta" });
});

test("a command of the client is no title: the first words after it are", () => {
  const drafts = drafted(header(), message(1, user("/mode")), message(2, user("Count the corals")));
  expect(patches(drafts)["title"]).toBe("Count the corals");
});

test("a name that a person gave is the title; an entry that is not known is kept", () => {
  const drafts = drafted(
    header(),
    message(1, user("One")),
    entry(2, "session_info", { name: " Reef " }),
    entry(3, "tide"),
  );
  expect(patches(drafts)).toMatchObject({ title: "Reef", titleRank: 2 });
  expect(bodies(drafts).at(-1)).toMatchObject({
    type: "unknown",
    reason: 'An entry of type "tide", which is not known.',
  });
});

test("a fork of pi writes the title into a line before the header", () => {
  const records = [{ type: "title", v: 1, title: "Reef" }, header(), message(1, user("Count")), message(2, answer([]))];
  const bytes = Buffer.from(records.map((one) => `${JSON.stringify(one)}\n`).join(""));
  expect(pi.detect({ path: "x.jsonl", head: bytes, sidecars: new Map() })).toBe(true);
  const { drafts, state } = runPi(records);
  expect(pi.identify(state)).toBe(SESSION);
  expect(patches(drafts)).toMatchObject({ cwd: "/home/ada/reef" });
  expect(drafts.flatMap((draft) => (draft.kind === "session" ? (draft.patch.title ?? []) : []))).toEqual([
    "Reef",
    "Count",
  ]);
  expect(calls(drafts)[0]!.key).toBe(calls(runPi(records.slice(1)).drafts)[0]!.key);
});

// From July 2026 on pi counts what its summaries, its tools and the warming of its cache cost.
test("a summary, a tool and a warmed cache that cost tokens are calls, and in the sums of pi", () => {
  const used = { input: 5, output: 7, cacheRead: 11, cacheWrite: 0, totalTokens: 23, cost: { total: 0.5 } };
  const drafts = drafted(
    header(),
    message(1, user("Go.")),
    message(2, answer([asks("t1", "review")])),
    message(3, result("t1", "fine", { usage: used })),
    entry(4, "compaction", { summary: "S", tokensBefore: 9, firstKeptEntryId: "e3", usage: used }),
    entry(5, "branch_summary", { summary: "B", fromId: "e3", usage: used }),
    entry(6, "usage", { kind: "cache_warm", provider: "anthropic", model: "claude-haiku-4-5", usage: used }),
    message(7, answer([said("Done.")])),
  );
  expect(calls(drafts).map(({ lane, model, usage }) => [lane, model, usage?.cacheRead])).toEqual([
    ["", "claude-opus-4-5", 100],
    ["t1.1", null, 11],
    ["", "claude-opus-4-5", 11],
    ["", "claude-opus-4-5", 11],
    ["", "claude-haiku-4-5", 11],
    ["", "claude-opus-4-5", 100],
  ]);
  expect(new Set(calls(drafts).map(({ key }) => key)).size).toBe(6);
  expect(bodies(drafts).some(({ type }) => type === "unknown")).toBe(false);
  const reported = drafts.filter((draft) => draft.kind === "reported").at(-1);
  expect(reported).toMatchObject({ usd: 2.5 });
  const events = drafts.filter((draft) => draft.kind === "event");
  for (const { key } of calls(drafts)) expect(events.some(({ callKey }) => callKey === key)).toBe(true);
});

test("what a tool's run cost counts once, where its messages stand in the result", () => {
  const run = { agent: "scout", task: "Look.", messages: [user("Look."), answer([said("Seen.")])] };
  const drafts = drafted(
    header(),
    message(1, user("Go.")),
    message(2, answer([asks("t1", "subagent")])),
    message(3, result("t1", "Seen.", { usage: USAGE, details: { results: [run] } })),
  );
  expect(calls(drafts).map(({ lane }) => lane)).toEqual(["", "t1.1"]);
});

test("a compaction keeps the messages that stand in it, and none of them is told or counted again", () => {
  const tail = { ...user("Then?"), timestamp: 3000 };
  const last = { ...answer([said("So.")]), timestamp: 4000 };
  const drafts = drafted(
    header(),
    message(1, user("Go.")),
    message(2, answer([said("Gone.")])),
    message(3, tail),
    message(4, last),
    entry(5, "compaction", { summary: "S", tokensBefore: 9, retainedTail: [tail, last] }),
  );
  const kept = events(drafts).find(({ body }) => body.type === "user" && body.text === "Then?")?.recordKey;
  expect(bodies(drafts).find(({ type }) => type === "compaction")).toMatchObject({ keptFrom: kept });
  expect(calls(drafts)).toHaveLength(2);
});

test("a system message is the system prompt", () => {
  const drafts = drafted(
    header(),
    message(1, { role: "system", content: "You are a diver." }),
    message(2, { role: "developer", content: [said("Mind the reef.")] }),
  );
  expect(bodies(drafts)).toMatchObject([
    {},
    { type: "system", text: "You are a diver." },
    { type: "system", text: "Mind the reef.", role: "developer" },
  ]);
});

test("a system message of pi 1.0 has its text in sections, and names the tools that came and went", () => {
  const read = { name: "read", description: "Reads a file.", parameters: { type: "object", properties: {} } };
  const drafts = drafted(
    header(),
    message(1, {
      role: "system",
      content: "",
      sections: { preamble: "You are a diver.", cwd: "Folder: /home/ada/reef" },
      toolsAdded: [read],
    }),
    message(2, {
      role: "system",
      content: "Mind the reef.",
      sections: { preamble: null },
      toolsRemoved: [{ name: "read" }],
    }),
  );
  expect(bodies(drafts).slice(1)).toMatchObject([
    { type: "system", text: "You are a diver.\n\nFolder: /home/ada/reef" },
    { type: "meta", subtype: "tool_schema", name: "read", text: JSON.stringify(read), sent: "tools" },
    { type: "system", text: "Mind the reef." },
    { type: "meta", subtype: "system_removed", text: "Removed: section preamble, tool read" },
  ]);
  expect(
    events(drafts)
      .slice(1)
      .map(({ recordKey }) => recordKey?.endsWith("e1")),
  ).toEqual([true, true, false, false]);
});

test("an edit of the context takes the record out of what is sent next", () => {
  const drafts = drafted(
    header(),
    message(1, user("Look.")),
    message(2, answer([asks("t1", "bash")])),
    message(3, result("t1", "Much.")),
    entry(4, "context_edit", { targetId: "e3", replacement: { content: [said("Cleared.")] } }),
    entry(5, "context_edit", { targetId: "e1", replacement: null }),
  );
  const keys = events(drafts).map(({ recordKey }) => recordKey);
  const named = (id: string) => [...new Set(keys.filter((key) => key?.endsWith(`/${id}`)))];
  expect(bodies(drafts).filter(({ type }) => type === "compaction")).toMatchObject([
    { kind: "micro", trigger: "context_edit", clearedRecords: named("e3"), text: "Cleared." },
    { kind: "micro", trigger: "context_edit", clearedRecords: named("e1"), text: "" },
  ]);
  expect(bodies(drafts).some(({ type }) => type === "unknown")).toBe(false);
});
