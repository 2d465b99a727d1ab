// Synthetic records in the shape that Claude Code 2.1.330 writes when it sends old results shorter.
import { expect, test } from "vitest";
import { bodies, events, jsonl, parse, prompt, run, SESSION, type Rec } from "./testing-claude.ts";
import { blob, request, SESSION_RECORDS } from "./testing-claude-requests.ts";

const path = (id: string): string =>
  `<persisted-output>Tool result saved to: /h/tool-results/${id}.txt\n\nUse Read to view</persisted-output>`;
const BLANK = "[Old tool result content cleared]";
const sent = (id: string, content: unknown): Rec =>
  blob({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] });
const next = request("req-3", "req-2", 2, [], []);
const clearings = (...records: readonly Rec[]) =>
  bodies(parse(...records)).flatMap((body) => (body.type === "compaction" ? [body] : []));

test("results that a request has shorter are one micro compaction, before the request's own record", () => {
  const drafts = parse(...SESSION_RECORDS, sent("t1", path("t1")), sent("t2", [{ type: "text", text: BLANK }]), next);
  const at = events(drafts).findIndex(({ body }) => body.type === "compaction");
  expect(events(drafts)[at]!.body).toEqual({
    type: "compaction",
    kind: "micro",
    trigger: null,
    tokensBefore: null,
    tokensAfter: null,
    text: `${path("t1")}\n${BLANK}`,
    cleared: ["t1", "t2"],
    blocks: [path("t1").length, BLANK.length],
  });
  expect(events(drafts)[at + 1]!.body).toMatchObject({ subtype: "api-request" });
  expect(clearings(...SESSION_RECORDS, sent("t1", BLANK), next, next)).toHaveLength(1);
});

test("a message that is in a blob for another reason clears nothing", () => {
  const preview = "<persisted-output>\nOutput too large (53.6KB). Full output saved to: /h/t1.txt\n";
  for (const content of [preview, `It says: ${BLANK}`, "boats", null, [{ type: "image" }]])
    expect(clearings(...SESSION_RECORDS, sent("t1", content), next)).toEqual([]);
  expect(clearings(...SESSION_RECORDS, next)).toEqual([]);
  expect(clearings({ type: "api-request-blob", sessionId: "s", message: { content: BLANK } }, next)).toEqual([]);
});

test("very many are told in several, and the state does not grow", () => {
  const many = Array.from({ length: 500 }, (_, i) => sent(`t${i}`, path(`t${i}`)));
  const told = clearings(...many, next);
  expect(told.flatMap(({ cleared }) => cleared)).toHaveLength(500);
  expect(told).toHaveLength(3);
  expect(run(jsonl(...many, next)).state.cleared).toEqual([]);
});

test("results that a record says are sent shorter are cleared from there on, in the conversation that they are of", () => {
  const replaced = (more: Rec = {}): Rec => ({
    type: "content-replacement",
    sessionId: SESSION,
    replacements: [
      { kind: "tool-result", toolUseId: "t1", replacement: "<persisted-output>\nthe beginning" },
      { kind: "tool-result", toolUseId: "t2", replacement: "short" },
      { kind: "hologram" },
    ],
    ...more,
  });
  expect(bodies(parse(prompt("p", 1, "Read."), replaced()))[1]).toMatchObject({
    ...{ type: "compaction", kind: "micro", cleared: ["t1", "t2"], blocks: [32, 5] },
    text: "<persisted-output>\nthe beginning\nshort",
  });
  for (const other of [replaced({ agentId: "a1b2" }), replaced({ replacements: [] })])
    expect(bodies(parse(prompt("p", 1, "Read."), other)).map(({ type }) => type)).toEqual(["user", "meta"]);
});
