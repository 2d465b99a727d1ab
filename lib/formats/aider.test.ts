// Aider's histories: many chats in one file of Markdown, told from other Markdown; rounded figures, plans for a second model.
import { processorMs } from "#lib/kernel/testing-processor-time.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { aider } from "./aider.ts";
import { calls, events } from "./codex/testing-codex.ts";
import { FORMATS } from "./index.ts";

const PATH = "/home/ada/gulls/.aider.chat.history.md";
const HISTORY = readFileSync(join(import.meta.dirname, "fixtures/aider-synthetic-history.md"), "utf8");

const fileOf = (text: string, path = PATH) => ({ path, head: Buffer.from(text), sidecars: new Map<string, string>() });
function read(text = HISTORY, path = PATH): Draft[] {
  const bytes = Buffer.from(text);
  const record = { bytes, byteStart: 0, byteEnd: bytes.length, line: 1 };
  return aider.parse(record, aider.start(fileOf(text, path)));
}
/** A chat with these lines; `·` is a blank at the end of one. */
const chat = (...lines: string[]): string =>
  `\n# aider chat started at 2026-09-01 10:00:00\n\n${lines.join("\n").replaceAll("·", " ")}\n`;
const inLane = (lane: string) => read().filter((draft) => draft.kind !== "problem" && draft.lane === lane);
const patchesOf = (drafts: readonly Draft[]) =>
  Object.assign({}, ...drafts.map((draft) => (draft.kind === "session" ? draft.patch : {}))) as Record<string, unknown>;
const typedIn = (drafts: Draft[]) => events(drafts).flatMap(({ body }) => (body.type === "user" ? [body.text] : []));
const isKnown = (text: string): boolean =>
  FORMATS.some((format) => format.detect(fileOf(text, "/home/ada/notes/notes.md")));

const SECOND = "2026-09-02T08-30-00";

test("each chat in which something was said is a session of its own", () => {
  const drafts = read();
  const lanes = [...new Set(drafts.flatMap((draft) => (draft.kind === "event" ? [draft.lane] : [])))];
  expect(lanes).toEqual(["", SECOND, `${SECOND}.2`]);
  expect(aider.identify(aider.start(fileOf(HISTORY)))).toBe("2026-09-01T09-58-00");
  expect(patchesOf(inLane(""))).toMatchObject({
    ...{ agentName: "Aider", agentVersion: "0.86.1", model: "synthetic/tern-large", cwd: "/home/ada/gulls" },
    ...{ title: "Count the eiders in the bay (synthetic)\n\nSay how you counted.", titleRank: 0 },
    startedAt: new Date(2026, 8, 1, 10).getTime(),
  });
  expect(patchesOf(inLane(""))).not.toHaveProperty("relation");
  expect(patchesOf(inLane(SECOND))).toMatchObject({ relation: "root", cwd: "/home/ada/bay" });
});

test("what was typed, answered and printed are events; headings and quotes of an answer stay in it", () => {
  expect(events(inLane("")).map(({ body }) => body)).toMatchObject([
    { type: "meta", subtype: "printed" },
    { type: "user", text: "/add eiders.py", injected: "command" },
    { type: "meta", subtype: "printed", text: "Added eiders.py to the chat" },
    { type: "user", text: "Count the eiders in the bay (synthetic)\n\nSay how you counted." },
    { type: "meta", subtype: "printed" },
    { type: "reasoning", text: "The file has one line for each bird." },
    {
      type: "assistant",
      text: expect.stringMatching(/^There are twelve\.\n\n#### How\n> Every line .*```$/s) as string,
    },
    { type: "meta", subtype: "printed", text: expect.stringMatching(/^Tokens: 12k .*\nCost: .*\nApplied /s) as string },
    { type: "user", text: "/run python eiders.py", injected: "command" },
    { type: "meta", text: "The first lines:\n\n12\n  eiders\nAdded 2 lines of output to the chat." },
    { type: "user", text: "And the scoters?" },
    { type: "meta", subtype: "printed" },
    { type: "error", text: "litellm.RateLimitError: the provider is busy (synthetic)" },
    { type: "assistant", text: "Five." },
    { type: "meta", subtype: "printed" },
    { type: "user", text: "/clear", injected: "command" },
    { type: "rewind", after: null },
    { type: "meta", subtype: "printed" },
    { type: "user", text: "Draw them" },
    { type: "assistant", text: "Interrupted in the midd" },
    { type: "meta", subtype: "printed" },
  ]);
  const turns = events(inLane("")).filter(({ startsTurn }) => startsTurn);
  expect(typedIn(turns).map((text) => text.split("\n", 1)[0])).toEqual([
    "Count the eiders in the bay (synthetic)",
    "And the scoters?",
    "Draw them",
  ]);
});

test("tokens are rounded figures, never as reported; the cache is a part of what was sent", () => {
  const own = calls(inLane(""));
  expect(own.map(({ usage }) => usage)).toMatchObject([
    { inputUncached: 2800, cacheRead: 8000, cacheWrite: 1200, output: 450 },
    { inputUncached: 987, cacheRead: 0, output: 3 },
    {},
  ]);
  expect(own.map(({ usage, counted }) => [usage !== null, counted])).toEqual([
    [true, true],
    [true, true],
    [false, undefined],
  ]);
  expect(inLane("").filter(({ kind }) => kind === "reported")).toEqual([
    { kind: "reported", lane: "", usd: 0.02, usage: {} },
  ]);
  expect(patchesOf(inLane(""))["quality"]).toMatch(/^Aider rounds tokens and costs/);
});

test.each([
  ["Tokens: 2,345 sent, 1,234 received. Cost: $0.03 request, $0.10 session.", 2345, 1234, 0.1],
  ["Tokens: 999 sent, 5 received.", 999, 5, null],
  ["Tokens: 1.2k sent, 600 cached, 47k received. Cost: $1.20 message, $12.34 session.", 1200, 47_000, 12.34],
  ["Tokens: 100 sent, 4.0k cache hit, 7 received. Cost: $0.00012 message, $0.00012 session.", 4100, 7, 0.000_12],
])("%s", (line, sent, output, usd) => {
  const drafts = read(chat("#### Hi··", "", "Hello.", "", `> ${line}··`));
  const { usage } = calls(drafts)[0]!;
  expect([usage!.inputUncached + usage!.cacheRead + usage!.cacheWrite, usage!.output]).toEqual([sent, output]);
  expect(drafts.flatMap((draft) => (draft.kind === "reported" ? [draft.usd] : []))).toEqual(usd === null ? [] : [usd]);
});

test("a line of any length is read at once", () => {
  const line = `> Tokens: ${"1".repeat(200_000)}··`;
  expect(calls(read(chat("#### Hi··", "", "Hello.", "", line))).map(({ usage }) => usage)).toEqual([null]);
});

test("a chat of any length is read at once", () => {
  const long = chat(...Array.from({ length: 20_000 }, () => "#### Count··\n\nTwelve.\n"));
  // It took 10 s while each prompt looked through all that came behind it, and 1 s since.
  expect(processorMs(() => expect(typedIn(read(long))).toHaveLength(20_000))).toBeLessThan(5000);
}, 60_000);

test("a plan that Aider types for the model that edits is no prompt; an answered command is one", () => {
  const own = inLane(SECOND);
  expect(
    events(own).flatMap(({ body, startsTurn }) => (body.type === "user" ? [[body.injected, startsTurn]] : [])),
  ).toEqual([
    ["command", false],
    [undefined, true],
    ["client", false],
    [undefined, true],
  ]);
  expect(calls(own).map(({ model, usage }) => [model, usage?.inputUncached])).toEqual([
    ["synthetic/tern-large", 2300],
    ["synthetic/tern-medium", 1100],
    ["synthetic/tern-medium", 1200],
    ["synthetic/tern-large", 1300],
  ]);
});

test("a file whose line ends were trimmed, or that has those of Windows, says the same", () => {
  const said = (text: string) =>
    events(read(text)).map(({ body }) => (body.type === "assistant" ? "" : "text" in body ? body.text : ""));
  expect(said(HISTORY.replaceAll("\n", "\r\n"))).toEqual(said(HISTORY));
  const simple = chat(
    "> Aider v0.86.1··",
    "",
    "#### Hi··",
    "#### there··",
    "",
    "Hello.",
    "",
    "> Tokens: 9 sent, 1 received.··",
  );
  expect(said(simple.replaceAll(/ +$/gm, ""))).toEqual(said(simple));
});

test("what follows a printed or typed line at once is its rest: before an answer stands a blank line", () => {
  const drafts = read(chat("#### /diff··", "> Diff since a1b2c3d··", "+birds = 12··", "-birds = 0··", "", "> Done.··"));
  expect(events(drafts).map(({ body }) => ("text" in body ? body.text : ""))).toEqual([
    "/diff",
    "Diff since a1b2c3d\n+birds = 12\n-birds = 0",
    "Done.",
  ]);
  expect(calls(drafts)).toEqual([]);
});

test.each([
  ["Main model: synthetic/tern-large with diff edit format, infinite output", "synthetic/tern-large"],
  ["Models: tern-4 with diff edit format, weak model tern-3", "tern-4"],
  ["Model: tern-4-1106 using udiff edit format", "tern-4-1106"],
  ["Model: tern-4", "tern-4"],
  ["Model: see the list of models", undefined],
])("%s", (line, model) => {
  expect(patchesOf(read(chat(`> ${line}··`, "", "#### Hi··")))["model"]).toBe(model);
});

test("other Markdown is not known, also where it tells of a history", () => {
  expect(isKnown(HISTORY)).toBe(true);
  for (const text of [
    "# Notes\n\n#### Heading\n\n> quote\n",
    "# aider chat started at noon\n\nWe counted birds.\n",
    `# How to read a history\n${chat("#### Hi··", "", "Hello.")}`,
    "## aider chat started at 2026-09-01 10:00:00\n",
    "#### Hi  \n\nHello.\n\n> Tokens: 9 sent, 1 received.  \n",
  ])
    expect(isKnown(text)).toBe(false);
});

test("a start inside an answer, without blank lines around it, begins no chat", () => {
  const drafts = read(chat("#### Show one··", "", "```", "# aider chat started at 2026-01-01 00:00:00", "```", ""));
  expect(events(drafts).map(({ body, lane }) => [body.type, lane])).toEqual([
    ["user", ""],
    ["assistant", ""],
  ]);
});

test("a history that grew has all that it had", () => {
  const names = (text: string): readonly string[] => aider.recordNames!(Buffer.from(text))!;
  const [before, now] = [names(HISTORY), names(HISTORY + chat("#### And the terns?··", "", "Three.", ""))];
  expect(new Set(before).size).toBe(before.length);
  expect(now.slice(0, before.length)).toEqual(before);
  expect(now).toHaveLength(before.length + 2);
});

test("a file that was cut anywhere is read as far as it goes", () => {
  const whole = typedIn(read());
  for (let end = 60; end < HISTORY.length; end += 37) {
    const drafts = read(HISTORY.slice(0, end));
    expect(drafts.filter(({ kind }) => kind === "problem")).toEqual([]);
    const typed = typedIn(drafts).slice(0, -2);
    expect(typed).toEqual(whole.slice(0, typed.length));
  }
});

test("histories lie in projects: by itself only that of the home folder is looked for, and the one that a variable names", () => {
  expect(aider.sources({ HOME: "/home/ada" }, "linux")).toEqual(["/home/ada/.aider.chat.history.md"]);
  const named = { HOME: "/home/ada", AIDER_CHAT_HISTORY_FILE: "/logs/aider.md" };
  expect(aider.sources(named, "linux")[0]).toBe("/logs/aider.md");
  expect(aider.sources({ ...named, AIDER_CHAT_HISTORY_FILE: "aider.md" }, "linux")).toHaveLength(1);
  expect(aider.wants(PATH)).toBe(true);
  expect(aider.wants("/home/ada/gulls/.aider.input.history")).toBe(false);
  // What was uploaded says nothing of a project.
  expect(patchesOf(read(chat("#### Hi··"), "/a/uploads/1a2b3c4d/.aider.chat.history.md"))).not.toHaveProperty("cwd");
});
