// What holds of every renderer of the registry, for every list of messages.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Message } from "../message.ts";
import { messagesOf, render } from "../render.ts";
import { RENDERERS } from "./index.ts";
import type { RenderOptions } from "./renderer-options.ts";
import { anyMessages, call, calling, PNG, result, said } from "./testing-messages.ts";
import { REQUESTS } from "./testing-schemas.ts";

const OPTIONS: Readonly<Record<string, RenderOptions>> = {
  "as it is": {},
  "with reasoning": { withReasoning: true },
  "calls as words": { toolHistory: "text", valueStyle: "python" },
  "a user first": { startWithUser: true },
  "media found": { mediaOf: (url) => (url.startsWith("art:") ? PNG : null) },
};

/** Freezes a value and all below it: who writes to it throws. */
function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const one of Object.values(value)) frozen(one);
  return value;
}

function shared(a: unknown, b: unknown): boolean {
  const own = new Set<unknown>();
  const walk = (value: unknown, visit: (one: object) => boolean): boolean =>
    typeof value === "object" &&
    value !== null &&
    (visit(value) || Object.values(value).some((one) => walk(one, visit)));
  walk(a, (one) => (own.add(one), false));
  return walk(b, (one) => own.has(one));
}

describe.each(RENDERERS.map((renderer) => [renderer.id, renderer] as const))("%s", (id) => {
  test.each(Object.entries(OPTIONS))("whatever the log holds, the provider takes its request: %s", (_, options) => {
    fc.assert(
      fc.property(anyMessages, (messages) => {
        const { request } = render(frozen(messages), id, options);
        const asSent = JSON.parse(JSON.stringify(request)) as unknown;
        const schema = options.toolHistory === "text" && id === "openai-chat" ? REQUESTS["text"] : REQUESTS[id];
        const read = schema!.safeParse(asSent);
        if (!read.success) throw new Error(`${read.error.message}\n${JSON.stringify(asSent, null, 1)}`);
        if (
          !JSON.stringify(request).isWellFormed() ||
          /\\ud[89a-f]/i.test(JSON.stringify(request).replace(/\\\\/g, ""))
        )
          throw new Error("Half a surrogate pair.");
      }),
    );
  });

  test("the messages are not changed, and nothing of them is shared with the request", () => {
    fc.assert(
      fc.property(anyMessages, (messages) => {
        const { request } = render(frozen(messages), id);
        expect(shared(messages, request)).toBe(false);
      }),
    );
  });

  test("the same messages give the same request", () => {
    fc.assert(
      fc.property(anyMessages, (messages) => {
        expect(render(messages, id)).toEqual(render(structuredCloneOf(messages), id));
      }),
      { numRuns: 30 },
    );
  });

  test("every row stands in the request, and every event of the messages is named by a row or left with a reason", () => {
    const messages = [
      { ...said("system", "Be brief."), seqs: [1] },
      { ...said("user", "List it."), seqs: [2] },
      { ...calling("I will.", call("call_1", "list", { path: "src" })), seqs: [3, 4] },
      { ...result("call_1", "list", ["a"]), seqs: [5] },
      { ...said("assistant", "One file."), seqs: [6] },
    ];
    const payload = render(messages, id);
    const text = JSON.stringify(payload.request);
    for (const row of payload.rows) expect(text).toContain(JSON.stringify(row.value).slice(1, -1));
    expect([...new Set(payload.rows.flatMap(({ seqs }) => seqs))]).toEqual([1, 2, 3, 4, 5, 6]);
    expect(payload.leftOut).toEqual([]);
  });

  test("tokens of a row are those of its words, counted where somebody counts", () => {
    const payload = render([said("user", "Hello"), said("user", "Look", { imageUrls: [PNG] })], id);
    const rows = messagesOf(payload, (words) => words.length);
    expect(rows.map(({ text }) => text).join("\n")).toBe("Hello\nLook");
    expect(rows.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(1550 + (id === "anthropic" ? 10 : 9));
    expect(rows.at(-1)!.origin).toBe("estimated");
    expect(messagesOf(render([said("user", "Hello")], id))[0]).toMatchObject({ tokens: 2, origin: "estimated" });
    expect(messagesOf(render([said("user", "Hello")], id), () => 1)[0]).toMatchObject({ tokens: 1, origin: "counted" });
  });
});

/** As structuredClone, which has no word for what a property may hold. */
const structuredCloneOf = (messages: readonly Message[]): Message[] => messages.map((message) => ({ ...message }));
