import { describe, expect, test } from "vitest";
import { buildToolInteractions } from "./tool-interactions.ts";
import { assistant, call, result, trace } from "./testing-memory.ts";

const statuses = (...traces: Parameters<typeof buildToolInteractions>[0]): string[] =>
  buildToolInteractions(traces).map(({ toolName, status }) => `${toolName} ${status}`);

describe("tool interactions", () => {
  test("a result makes a call a success or an error, and a call alone is pending", () => {
    const found = buildToolInteractions([
      call(1, 1, "a", { toolName: "write_file", toolArgs: { path: "x.txt" } }),
      result(1, 2, "a", { toolName: "write_file", toolResult: "ok" }),
      call(1, 3, "b", { toolName: "read_file" }),
      result(1, 4, "b", { toolName: "read_file", toolResult: null, toolError: "not found" }),
      call(1, 5, "c", { toolName: "search_web" }),
    ]);
    expect(found.map(({ toolName, status, result: value, error }) => [toolName, status, value, error])).toEqual([
      ["write_file", "success", "ok", null],
      ["read_file", "error", null, "not found"],
      ["search_web", "pending", null, null],
    ]);
    expect(found[0]).toMatchObject({
      toolCallId: "a",
      turnId: "turn_0001",
      arguments: { path: "x.txt" },
      pairing: "id",
      elapsedMs: 1000,
    });
  });

  test("a result without its call is an interaction of its own, without arguments", () => {
    const [only] = buildToolInteractions([result(1, 1, "lost", { toolArgs: { path: "seen.txt" } })]);
    expect(only).toMatchObject({ pairing: "orphan_result", arguments: null, status: "success", callTrace: null });
  });

  test("they stand in the order in which they first appear, of one turn alone when it is named", () => {
    const log = [
      call(1, 1, "b"),
      call(1, 2, "a"),
      result(1, 3, "a"),
      result(1, 4, "b"),
      call(2, 1, "b", { toolName: "other" }),
    ];
    expect(buildToolInteractions(log).map(({ toolCallId, turnId }) => `${turnId} ${toolCallId}`)).toEqual([
      "turn_0001 b",
      "turn_0001 a",
      "turn_0002 b",
    ]);
    expect(statuses(...log)).toEqual(["run success", "run success", "other pending"]);
    expect(buildToolInteractions(log, "turn_0002")).toHaveLength(1);
  });

  test("an id that is used again, in another turn or in the same, is another call", () => {
    const found = buildToolInteractions([
      call(1, 1, "call_1"),
      result(1, 2, "call_1", { toolResult: 1 }),
      call(1, 3, "call_1"),
      result(1, 4, "call_1", { toolResult: 2 }),
      call(2, 1, "call_1"),
      result(2, 2, "call_1", { toolResult: 3 }),
    ]);
    expect(found.map((one) => one.result)).toEqual([1, 2, 3]);
    expect(new Set(found.map(({ key }) => key)).size).toBe(3);
  });

  test("calls and results without ids are paired by turn, tool and order, and say so", () => {
    const found = buildToolInteractions([
      call(1, 1, null, { toolName: "list_directory" }),
      call(1, 2, null, { toolName: "read_file" }),
      call(1, 3, "", { toolName: "list_directory" }),
      result(1, 4, null, { toolName: "list_directory", toolResult: "first" }),
      result(1, 5, null, { toolName: "list_directory", toolResult: "second" }),
    ]);
    expect(found.map((one) => [one.toolName, one.pairing, one.result])).toEqual([
      ["list_directory", "positional", "first"],
      ["read_file", "positional", null],
      ["list_directory", "positional", "second"],
    ]);
  });

  test("0, false and empty text are results; a text that stands where messages have theirs is one, too", () => {
    const [zero, no, text] = buildToolInteractions([
      result(1, 1, "a", { toolResult: 0 }),
      result(1, 2, "b", { toolResult: false }),
      result(1, 3, "c", { toolResult: null, content: "3 failures" }),
    ]);
    expect([zero!.result, no!.result, text!.result]).toEqual([0, false, "3 failures"]);
  });

  test("what is no tool trace makes none", () => {
    expect(buildToolInteractions([trace(1, 1), assistant(1, 2)])).toEqual([]);
  });

  test("a thousand calls of one id are paired in order", () => {
    const log = Array.from({ length: 1000 }, (_, i) => [
      call(1, 2 * i, "x"),
      result(1, 2 * i + 1, "x", { toolResult: i }),
    ]);
    expect(buildToolInteractions(log.flat()).map((one) => one.result)).toEqual(log.map((_, i) => i));
  });
});
