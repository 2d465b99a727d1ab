// A session whose file holds its requests: synthetic records in the shape that Claude Code 2.1.330 writes.
import { createHash } from "node:crypto";
import { answer, asks, line, prompt, SESSION, text, type Rec } from "./testing-claude.ts";

export const sha256 = (value: string): string => createHash("sha256").update(value).digest("hex");
const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, one]) => [key, sorted(one)]),
        )
      : value;
export const digest = (message: Rec): string => {
  const content = message["content"];
  return sha256(
    JSON.stringify(sorted({ ...message, content: typeof content === "string" ? [text(content)] : content })),
  );
};

export const MARK = { type: "ephemeral" };
export const reminder = {
  role: "user",
  content: [text("<system-reminder>tide tables</system-reminder>"), text("Go.")],
};
export const rules = { role: "system", content: [text("# Environment\nharbour")] };
export const said = { role: "assistant", content: [text("I look."), asks("toolu_1", "Bash", { command: "ls" })] };
export const came = { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "boats" }] };
export const shape = { system: [text("You are a pilot.")], tools: [{ name: "Bash", input_schema: {} }] };

/** A shape of texts and of tools by name. */
export const shaped = (hash: string, system: readonly string[], tools: readonly string[]): Rec => ({
  type: "api-request-shape",
  sessionId: SESSION,
  shapeHash: hash,
  shape: {
    system: system.map(text),
    tools: tools.map((name) => ({ name, description: `${name} does it.`, input_schema: { type: "object" } })),
  },
});

export const blob = (message: Rec, hash = digest(message)): Rec => ({
  type: "api-request-blob",
  sessionId: "s",
  hash,
  message,
});
export const request = (
  id: string,
  base: string | null,
  keep: number,
  tail: readonly string[],
  path: unknown[],
): Rec => ({
  type: "api-request",
  sessionId: "s",
  id,
  querySource: "sdk",
  shapeHash: "shape-1",
  params: { model: "claude-opus-5-5", betas: ["effort-2025-11-24"], max_tokens: 1000 },
  ...(base !== null && { base }),
  keep,
  tail,
  cacheControl: [
    { path: ["system", 0], value: MARK },
    { path, value: MARK },
  ],
});
const block = (label: string, part: unknown): Rec => answer(label, 2, "1", part, { more: { requestRef: "req-1" } });

export const SESSION_RECORDS: readonly Rec[] = [
  prompt("p", 1, "Go."),
  { type: "api-request-shape", sessionId: "s", shapeHash: "shape-1", shape },
  blob(reminder),
  blob(rules),
  request("req-1", null, 0, [digest(reminder), digest(rules)], ["messages", 1, "content", 0]),
  block("a1", said.content[0]),
  block("a2", said.content[1]),
  prompt("r", 3, came.content),
  request("req-2", "req-1", 2, [digest(said), digest(came)], ["messages", 3, "content", 0]),
  answer("a3", 4, "2", text("Boats."), { more: { requestRef: "req-2" } }),
];

const again = { role: "user", content: [text("On.")] };
export const summarise = { role: "user", content: [text("Summarise.")] };
const cut = { subtype: "compact_boundary", compactMetadata: { trigger: "auto", preTokens: 490 } };
const summary = (content: string) => ({ isCompactSummary: true, message: { role: "user", content } });
export const SENT_AT = "2026-11-23T10:00:00.000Z";

/** A call that failed and was sent again, a compaction whose own request is there, and one whose is not. */
export const OTHER_RECORDS: readonly Rec[] = [
  ...SESSION_RECORDS,
  prompt("on", 5, "On."),
  { ...request("req-3", "req-2", 4, [digest(again)], ["messages", 4, "content", 0]), timestamp: SENT_AT },
  request("req-4", "req-2", 4, [digest(again)], ["messages", 4, "content", 0]),
  answer("a5", 6, "4", text("Gone."), { more: { requestRef: "req-4" } }),
  blob(summarise),
  { ...request("req-5", "req-2", 4, [digest(summarise)], []), querySource: "compact" },
  line("system", "cut1", 7, cut),
  line("user", "sum1", 7, summary("We went.")),
  line("system", "cut2", 8, cut),
  line("user", "sum2", 8, summary("We went far.")),
];

/** The digest of a whole request: its body with the features of its header, texts of messages as blocks. */
export const wholeDigest = (body: Rec): string => {
  const messages = (body["messages"] as Rec[]).map((message) => {
    const content = message["content"];
    return { ...message, content: typeof content === "string" ? [text(content)] : content };
  });
  return sha256(JSON.stringify(sorted({ ...body, betas: ["effort-2025-11-24"], messages })));
};
