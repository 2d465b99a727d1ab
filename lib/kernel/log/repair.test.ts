import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { callsOf, resultOf, type Message } from "../context/message.ts";
import { repairPairs } from "./repair.ts";
import { calls, repairProperty, result, user } from "./testing-repair.ts";

/** `a` an answer's call, `r` a result, `s` a made-up one, `u` a user message. */
const outline = (messages: readonly Message[]): string =>
  messages
    .map((message) => {
      const found = resultOf(message);
      if (found !== null) return `${found.synthetic === true ? "s" : "r"}${found.toolCallId}`;
      const own = callsOf(message).map((call) => call.id);
      return message.role === "user" ? "u" : `a${own.join("+")}`;
    })
    .join(" ");

describe("repair", () => {
  test("a result that came late moves behind its call, and one that never came is made as an error", () => {
    const repaired = repairPairs([calls("1", "2"), user("and?"), result("2")]);
    expect(outline(repaired.messages)).toBe("a1+2 s1 r2 u");
    expect(repaired).toMatchObject({ moved: 1, synthetic: 1 });
    expect(resultOf(repaired.messages[1]!)?.toolError).toMatch(/No result/);
  });

  test("the reason of an interruption is kept with the pair that it closes, and with no later one", () => {
    const interrupted = user("[Request interrupted by user for tool use]");
    const repaired = repairPairs([calls("1"), interrupted, calls("2"), user("go on")]);
    expect(repaired.messages.flatMap((message) => resultOf(message)?.toolError ?? [])).toEqual([
      "No result was recorded for this call. [Request interrupted by user for tool use]",
      "No result was recorded for this call.",
    ]);
  });

  test("a second result and a result without a call are dropped", () => {
    const repaired = repairPairs([result("0"), calls("1"), result("1", "first"), result("1", "second"), user("x")]);
    expect(outline(repaired.messages)).toBe("a1 r1 u");
    expect(resultOf(repaired.messages[1]!)?.toolResult).toBe("first");
    expect(repaired).toMatchObject({ duplicates: 1, orphans: 1 });
  });

  test("an id that a later answer uses again gets a result of its own", () => {
    const repaired = repairPairs([calls("call_1"), result("call_1", "a"), calls("call_1"), result("call_1", "b")]);
    expect(outline(repaired.messages)).toBe("acall_1 rcall_1 acall_1 rcall_1");
    expect(repaired.messages.map((m) => resultOf(m)?.toolResult)).toEqual([undefined, "a", undefined, "b"]);
  });

  test("an answer that broke off keeps its words and loses its calls, and their late results go", () => {
    const broken = { ...calls("1"), content: "I will", stopReason: "aborted" };
    expect(outline(repairPairs([broken, result("1"), user("x")]).messages)).toBe("a u");
    const silent = { ...calls("1"), stopReason: "error" };
    expect(outline(repairPairs([silent, result("1"), user("x")]).messages)).toBe("u");
  });

  test("a name is trimmed also where every call of its answer stays", () => {
    const call = { id: "1", name: " run ", arguments: {} };
    const message: Message = { role: "assistant", content: "", toolPayload: { toolCalls: [call] } };
    const { messages } = repairPairs([message, result("1")]);
    expect(callsOf(messages[0]!).map(({ name }) => name)).toEqual(["run"]);
    expect(callsOf(message)[0]).toBe(call);
  });

  test("calls without an id, a name or arguments are dropped, and so are tools that are not offered", () => {
    const bad: Message = {
      role: "assistant",
      content: "text",
      toolPayload: {
        toolCalls: [
          { id: "", name: "run", arguments: {} },
          { id: "2", name: "no such name!", arguments: {} },
          { id: "3", name: "run", arguments: undefined },
          { id: "4", name: " run ", arguments: {} },
          { id: "5", name: "other", arguments: {} },
        ],
      },
    };
    const repaired = repairPairs([bad, result("4")], { allowedTools: ["run"] });
    expect(outline(repaired.messages)).toBe("a4 r4");
    expect(callsOf(repaired.messages[0]!)[0]?.name).toBe("run");
    expect(repaired.droppedCalls).toBe(4);
  });

  test("each call of a repaired list is followed by exactly one result, whatever the log held", () => {
    fc.assert(repairProperty());
  });
});
