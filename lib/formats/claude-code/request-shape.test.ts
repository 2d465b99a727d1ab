// Synthetic records in the shape that Claude Code 2.1.330 writes.
import { expect, test } from "vitest";
import { bodies, line, parse, SESSION, type Rec } from "./testing-claude.ts";
import { shaped } from "./testing-claude-requests.ts";

const notes = (...records: readonly Rec[]) =>
  bodies(parse(...records)).flatMap((body) => (body.type === "meta" ? [body] : []));

test("each block of the system prompt and each tool is an event, with the words that were sent", () => {
  const [note, ...parts] = notes(shaped("one", ["You are a pilot.", "Mind the tide."], ["Bash", "mcp__harbour__open"]));
  expect(note).toMatchObject({ subtype: "api-request-shape", text: "one", parts: parts.map(({ part }) => part) });
  expect(note).not.toHaveProperty("sent");
  expect(parts.map(({ subtype, sent, name, text: words }) => [subtype, sent, name, words])).toEqual([
    ["system_prompt", "prefix", undefined, "You are a pilot."],
    ["system_prompt", "prefix", undefined, "Mind the tide."],
    ["tool_schema", "tools", "Bash", '{"name":"Bash","description":"Bash does it.","input_schema":{"type":"object"}}'],
    ["tool_schema", "tools", "mcp__harbour__open", expect.stringContaining("mcp__harbour__open does it.")],
  ]);
});

test("a shape that comes again tells nothing new; another one tells what is new, and which parts stand", () => {
  const first = shaped("one", ["You are a pilot."], ["Bash", "Read"]);
  const all = notes(first, first, shaped("two", ["You are a pilot."], ["Bash", "Write"]), first);
  expect(all.map(({ subtype, name }) => name ?? subtype)).toEqual([
    "api-request-shape",
    "system_prompt",
    "Bash",
    "Read",
    "api-request-shape",
    "api-request-shape",
    "Write",
    "api-request-shape",
    "Read",
  ]);
  const [pilot, bash, read, write] = [all[1], all[2], all[3], all[6]].map((one) => one!.part);
  expect(all[5]!.parts).toEqual([pilot, bash, write]);
  expect(all[7]!.parts).toEqual([pilot, bash, read]);
  expect(new Set([pilot, bash, read, write]).size).toBe(4);
});

test("the placeholder that loads no schema is no tool, and odd shapes tell what they can", () => {
  expect(notes(shaped("one", [], ["DeferredToolPlaceholder"]))).toHaveLength(1);
  for (const shape of [undefined, null, 3, { system: "x", tools: [3, { name: 7 }, null] }])
    expect(notes({ type: "api-request-shape", sessionId: SESSION, shape })).toHaveLength(1);
});

const attached = (attachment: Rec, rendered: string, renderedRole: string): Rec =>
  line("attachment", "a", 1, { attachment, rendered: [{ content: rendered }], renderedRole });

test("an attachment that was rendered is what was sent: in the system's name without its tag, in the person's with it", () => {
  const words = "<system-reminder>\n# Environment\nharbour\n</system-reminder>";
  expect(notes(attached({ type: "environment", snapshot: {} }, words, "system"))).toEqual([
    { type: "meta", subtype: "environment", sent: "prefix", rendered: "system", text: "# Environment\nharbour" },
  ]);
  expect(notes(attached({ type: "hook_additional_context", content: ["x"] }, words, "user"))).toMatchObject([
    { sent: "user", rendered: "user", text: words },
  ]);
  expect(notes(attached({ type: "nested_memory", path: "/h/CLAUDE.md" }, words, "user"))).toMatchObject([
    { sent: "memory", name: "/h/CLAUDE.md" },
  ]);
});

test("memory files come in one text, and each is an event with its path", () => {
  const text =
    "<system-reminder>\nFollow these.\n\nContents of /h/CLAUDE.md (project instructions):\n\n# Rules\n\nContents of /h/q/CLAUDE.md:\n\nBe brief.\n</system-reminder>";
  const parts = notes(attached({ type: "instructions", files: [] }, text, "user"));
  expect(parts.map(({ name, sent }) => [name, sent])).toEqual([
    [undefined, "memory"],
    ["/h/CLAUDE.md", "memory"],
    ["/h/q/CLAUDE.md", "memory"],
  ]);
  expect(parts.map((part) => part.text).join("")).toBe(text);
});

test("an attachment without a rendering is read as before", () => {
  const plain = line("attachment", "a", 1, { attachment: { type: "nested_memory", content: "# Rules" } });
  expect(notes(plain)).toEqual([{ type: "meta", subtype: "nested_memory", text: "# Rules", sent: "memory" }]);
});
