import { expect, test } from "vitest";
import type { EventBody } from "#lib/kernel/event.ts";
import { noPairing, paired } from "./call-pairing.ts";

const call = (toolCallId: string | null): EventBody => ({ type: "tool_call", toolCallId, toolName: "look", input: {} });
const result = (toolCallId: string | null): EventBody => ({
  ...{ type: "tool_result", toolCallId, text: "reef", isError: false, saw: "full" },
});

test("a result that comes again is of no other call that waits", () => {
  const pairing = noPairing();
  const idOf = (body: EventBody, name: string) => {
    const own = paired(body, name, pairing);
    return "toolCallId" in own ? own.toolCallId : null;
  };
  expect([idOf(call("a"), "1"), idOf(call(null), "2")]).toEqual(["a", "@2"]);
  expect([idOf(result("a"), "3"), idOf(result("a"), "4"), idOf(result(null), "5")]).toEqual(["a", "a", "@2"]);
});
