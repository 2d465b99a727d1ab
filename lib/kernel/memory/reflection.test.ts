import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resultOf, type Message } from "../context/message.ts";
import {
  annotateError,
  classifyError,
  ERROR_CATEGORIES,
  FailureTracker,
  hasReflection,
  reflect,
  withReflections,
  type ErrorCategory,
} from "./reflection.ts";

const KINDS: readonly (readonly [string, ErrorCategory])[] = [
  ["EACCES: permission denied, open '/etc/shadow'", "permission_denied"],
  ["ENOENT: no such file or directory", "not_found"],
  ["Missing required parameter: path", "invalid_params"],
  ["connect ETIMEDOUT 10.0.0.1:443", "timeout"],
  ["HTTP 429", "rate_limit"],
  ["Unexpected token }", "format_error"],
  ["File too large", "size_limit"],
  ["connect ECONNREFUSED 127.0.0.1:5432", "connection_error"],
  ["Unauthorized", "auth_error"],
  ["EEXIST: file already exists", "conflict"],
  ["", "unknown"],
  ["EPERM", "permission_denied"],
  ["Command timed out after 120000ms", "timeout"],
  ["Unexpected token < in JSON at position 0", "format_error"],
  ["File has been modified since read", "conflict"],
  ["invalid api key", "auth_error"],
  ["getaddrinfo ENOTFOUND example.test", "connection_error"],
  ["bash: foo: command not found", "not_found"],
  ["maximum call stack size", "unknown"],
  ["something odd", "unknown"],
];

test("each error of the design's examples, and others like them, is told as its kind", () => {
  expect(KINDS.map(([error]) => [error, classifyError(error)])).toEqual(KINDS);
});

test("there are eleven categories, and any text gets one of them, from its beginning or its end", () => {
  expect(ERROR_CATEGORIES).toHaveLength(11);
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => ERROR_CATEGORIES.includes(classifyError(text))));
  expect(classifyError(`${"line of a log\n".repeat(5000)}ENOENT`)).toBe("not_found");
});

const timeline = () => {
  let now = 1_000_000;
  const tracker = new FailureTracker({ now: () => now });
  return { tracker, pass: (ms: number) => (now += ms) };
};

describe("failures that repeat", () => {
  test("the third failure of one tool in one way calls for another approach, before any other advice", () => {
    const { tracker } = timeline();
    const [first, second, third] = [1, 2, 3].map(() => reflect("exec", "Command timed out", tracker));
    expect([first!.attempt, second!.attempt, third!.attempt]).toEqual([1, 2, 3]);
    for (const one of [first!, second!]) expect(one.suggestions.join()).not.toContain("attempt #");
    expect(third!.suggestions[0]).toContain("attempt #3");
    expect(third!.suggestions[0]).toContain("fundamentally different approach");
    expect(third!.suggestions.slice(1)).toEqual(first!.suggestions);
  });

  test("are counted by tool and by kind", () => {
    const { tracker } = timeline();
    reflect("exec", "ETIMEDOUT", tracker);
    reflect("exec", "ENOENT", tracker);
    reflect("read", "ETIMEDOUT", tracker);
    expect(reflect("exec", "ETIMEDOUT", tracker).attempt).toBe(2);
  });

  test("are forgotten after five minutes, and when the tool works again", () => {
    const { tracker, pass } = timeline();
    const kind = { toolName: "exec", category: "timeout" } as const;
    tracker.note(kind);
    pass(299_999);
    expect(tracker.count(kind)).toBe(1);
    expect(tracker.note(kind)).toBe(2);
    pass(1);
    expect(tracker.count(kind)).toBe(1);
    tracker.forget("other");
    expect(tracker.count(kind)).toBe(1);
    tracker.forget("exec");
    expect(tracker.count(kind)).toBe(0);
  });

  test("are kept up to the latest fifty", () => {
    const { tracker } = timeline();
    const old = { toolName: "old", category: "conflict" } as const;
    tracker.note(old);
    for (let i = 0; i < 49; i++) tracker.note({ toolName: "exec", category: "timeout" });
    expect(tracker.count(old)).toBe(1);
    for (let i = 0; i < 10; i++) expect(tracker.note({ toolName: "exec", category: "timeout" })).toBe(50);
    expect(tracker.count(old)).toBe(0);
  });
});

describe("the annotation", () => {
  test("stands behind the error, which stays as the tool said it", () => {
    const text = annotateError("ENOENT: x.txt", reflect("read", "ENOENT: x.txt", timeline().tracker));
    expect(text.startsWith("ENOENT: x.txt\n\n[Reflection on this error]\ncategory: not_found\nmeaning: ")).toBe(true);
    expect(text).toContain("\n1. ");
  });

  test("is added once, however often it is asked for", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.constantFrom("", "ENOENT", "HTTP 429"), (text, error) => {
        const { tracker } = timeline();
        const once = annotateError(text + error, reflect("exec", text + error, tracker));
        expect(hasReflection(once)).toBe(true);
        expect(annotateError(once, reflect("exec", once, tracker))).toBe(once);
      }),
    );
  });

  test("is added in rendering to failed results alone, and never to what is stored", () => {
    const tool = (toolCallId: string, toolError: string | null): Message => ({
      role: "tool",
      content: null,
      toolPayload: { toolCallId, toolName: "exec", toolResult: toolError === null ? "fine" : null, toolError },
    });
    const messages = [tool("a", null), tool("b", "HTTP 429"), tool("c", "HTTP 429")];
    const stored = structuredClone(messages);
    const reflection = reflect("exec", "HTTP 429", timeline().tracker);
    const rendered = withReflections(messages, (id) => (id === "c" ? null : reflection));
    expect(messages).toEqual(stored);
    expect(rendered.map((message) => hasReflection(resultOf(message)!.toolError ?? ""))).toEqual([false, true, false]);
    expect(withReflections(rendered, () => reflection)[1]).toEqual(rendered[1]);
  });

  test("is not taken to be there by a text that quotes its heading", () => {
    expect(hasReflection("grep found: [Reflection on this error] in docs")).toBe(false);
  });
});
