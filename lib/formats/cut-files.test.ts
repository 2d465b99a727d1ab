// A file that begins in the middle of a run, as rotation, `split` and `tail` leave it: its records say which agent wrote them, and each call
// counts once, be it in the first part or in the second.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { USAGE_FIELDS, type Draft, type SourceFile } from "#lib/kernel/draft.ts";
import { FORMATS } from "./index.ts";
import { readableHead } from "./readable-head.ts";
import { linesOf } from "./testing-damage.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");

/** Fixtures, and how many lines at their end are of no agent's alone. */
const CUT: Readonly<Record<string, number>> = {
  "claude-code-synthetic-session.jsonl": 0,
  "codebuddy-synthetic-session.jsonl": 0,
  "codebuddy-synthetic-subagent.jsonl": 0,
  "codex-synthetic-session.jsonl": 0,
  "codex-synthetic-subagent.jsonl": 0,
  "codex-synthetic-legacy.jsonl": 1,
  "codex-exec-synthetic-session.jsonl": 1,
  "copilot-synthetic-session.jsonl": 0,
  "copilot-synthetic-no-usage.jsonl": 0,
  "copilot-run-synthetic-session.jsonl": 1,
  "cursor-synthetic-session.jsonl": 0,
  "droid-synthetic-session.jsonl": 1,
  "droid-synthetic-subagent.jsonl": 0,
  "entire-synthetic-session.jsonl": 0,
  "gemini-synthetic-session.jsonl": 1,
  "goose-synthetic-session.jsonl": 1,
  "gptme-synthetic-conversation.jsonl": 0,
  "grok-synthetic-session.jsonl": 0,
  "iflow-synthetic-session.jsonl": 0,
  "kimi-synthetic-cli.jsonl": 0,
  "kiro-synthetic-messages.jsonl": 0,
  "kiro-synthetic-session.jsonl": 0,
  "openclaw-synthetic-session.jsonl": 1,
  "opencode-run-synthetic-session.jsonl": 0,
  "openhands-synthetic-events.jsonl": 0,
  "pi-synthetic-session.jsonl": 1,
  "pi-synthetic-subagent.jsonl": 0,
  "pi-synthetic-version-1.jsonl": 0,
  "qwen-synthetic-session.jsonl": 0,
  "stream-json-synthetic-cursor.jsonl": 0,
  "stream-json-synthetic-droid.jsonl": 0,
  "stream-json-synthetic-gemini.jsonl": 0,
  "stream-json-synthetic-session.jsonl": 0,
  "vibe-synthetic-session.jsonl": 0,
  "vibe-synthetic-subagent.jsonl": 0,
};

const fileOf = (path: string, text: string): SourceFile => ({
  path,
  head: readableHead(path, new TextEncoder().encode(text).subarray(0, 65_536)),
  sidecars: new Map(),
});
const formatsOf = (file: SourceFile): string[] => FORMATS.filter((one) => one.detect(file)).map(({ id }) => id);

function read(path: string, lines: readonly string[]): { name: string | null; drafts: Draft[] } {
  const text = lines.map((line) => `${line}\n`).join("");
  const file = fileOf(path, text);
  const format = FORMATS.find((one) => one.detect(file))!;
  const state = format.start(file);
  const drafts = linesOf(Buffer.from(text)).flatMap((record) => format.parse(record, state));
  return { name: format.identify(state), drafts };
}

/** Tokens of all calls: what is told of one again holds. */
function tokens(drafts: readonly Draft[]): Record<string, number> {
  const calls = new Map<string, Record<string, number>>();
  for (const draft of drafts) {
    if (draft.kind !== "call" || draft.usage === null) continue;
    const { usage } = draft;
    const known = calls.get(`${draft.lane} ${draft.key}`);
    const most = USAGE_FIELDS.map((field) => [field, Math.max(known?.[field] ?? 0, usage[field])]);
    calls.set(`${draft.lane} ${draft.key}`, Object.fromEntries(most) as Record<string, number>);
  }
  const all = [...calls.values()];
  return Object.fromEntries(USAGE_FIELDS.map((field) => [field, all.reduce((sum, one) => sum + one[field]!, 0)]));
}

const sumOf = (a: Record<string, number>, b: Record<string, number>): Record<string, number> =>
  Object.fromEntries(USAGE_FIELDS.map((field) => [field, a[field]! + b[field]!]));

describe.each(Object.entries(CUT))("%s", (name, open) => {
  const lines = readFileSync(join(FIXTURES, name), "utf8").split("\n").filter(Boolean);
  const format = FORMATS.findLast(({ id }) => name.startsWith(`${id}-synthetic-`))!;
  const cuts = lines.map((_, at) => at).slice(1, lines.length - open);

  test("is known from any record on, and has a name that stays", () => {
    const known = cuts.map((at) => [at, formatsOf(fileOf("part.jsonl", lines.slice(at).join("\n")))]);
    expect(known).toEqual(cuts.map((at) => [at, [format.id]]));
    for (const at of cuts) {
      const { name: whole } = read("part.jsonl", lines.slice(at));
      expect(whole === null || whole === read("part.jsonl", lines.slice(at, at + 30)).name, `from line ${at}`).toBe(
        true,
      );
    }
  });

  test("is known from the middle of a record on", () => {
    const half = (line: string): string => line.slice(Math.floor(line.length / 2)).replace(/^\{/, "");
    for (const at of cuts.filter((one) => one > 1)) {
      const text = [half(lines[at - 1]!), ...lines.slice(at), ""].join("\n");
      expect(formatsOf(fileOf("part.jsonl", text)), `from line ${at}`).toEqual([format.id]);
    }
  });

  test("is known whatever a field of its first record is", () => {
    const [first, ...rest] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    // Of fewer records none can be told to be the odd one.
    if (rest.length < 5) return;
    for (const key of Object.keys(first!))
      for (const odd of [undefined, null, 7, "x", {}, []]) {
        const text = [{ ...first, [key]: odd }, ...rest].map((one) => JSON.stringify(one)).join("\n");
        expect(formatsOf(fileOf("part.jsonl", text)), `${key} is ${JSON.stringify(odd)}`).toEqual([format.id]);
      }
  });

  // A sum that grows over the cut is nobody's whole; calls that are told in several records have one name in both parts.
  if (!/^(?:openhands|claude-code|codebuddy|entire|qwen|gemini|stream-json-synthetic-session)/.test(name))
    test("the calls of both parts are those of the whole", () => {
      const whole = tokens(read(name, lines).drafts);
      // A count that comes again is known by the one before it.
      for (const at of cuts.filter((one) => !/"token_(?:count|usage_record)"/.test(lines[one]!))) {
        const [first, second] = [lines.slice(0, at), lines.slice(at)].map((part) => tokens(read(name, part).drafts));
        expect(sumOf(first!, second!), `cut before line ${at}`).toEqual(whole);
      }
    });
});

test.each([
  ["words in an envelope", ["messages"], { type: "message", id: "1", timestamp: "2026-03-02T09:00:00Z" }],
  ["events of a service", [], { type: "user.created", id: "1", timestamp: "2026-03-02T09:00:00Z", data: {} }],
  [
    "messages with a time",
    ["messages"],
    { role: "user", created: 1_772_442_001, content: [{ type: "text", text: "Hi" }] },
  ],
  [
    "items of a provider",
    ["messages"],
    { type: "message", role: "user", content: [{ type: "input_text", text: "Hi" }] },
  ],
])("%s, which any program may write, are no agent's", (_what, expected, record) => {
  const isWrapped = !("role" in record) && !("data" in record);
  const one = isWrapped ? { ...record, message: { role: "user", content: "Hi" } } : record;
  const text = [one, one, one].map((line) => JSON.stringify(line)).join("\n");
  expect(formatsOf(fileOf("log.jsonl", text))).toEqual(expected);
});

test("every agent's own file of lines is tried", () => {
  const tried = new Set(Object.keys(CUT).map((name) => name.replace(/-synthetic-.*/, "")));
  const rows = new Set([
    "antigravity",
    "atif",
    "copilot-chat",
    "crush",
    "hermes",
    "opencode",
    "otlp",
    "openinference",
    "zed",
  ]);
  const rest = readdirSync(FIXTURES)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => name.replace(/-synthetic-.*/, ""))
    .filter((id) => !tried.has(id) && !rows.has(id));
  expect([...new Set(rest)].toSorted()).toEqual(["autobyteus", "captured", "claude-trace", "messages", "plimsoll"]);
});
