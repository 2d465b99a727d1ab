// Logs of few ids, in any order, and what holds of each of them when it was repaired.
import fc from "fast-check";
import { callsOf, resultOf, type Message } from "../context/message.ts";
import { repairPairs } from "./repair.ts";

export const user = (content: string): Message => ({ role: "user", content, toolPayload: null });
export const calls = (...ids: string[]): Message => ({
  role: "assistant",
  content: "",
  toolPayload: { toolCalls: ids.map((id) => ({ id, name: "run", arguments: {} })) },
});
export const result = (id: string, value = "ok"): Message => ({
  role: "tool",
  content: null,
  toolPayload: { toolCallId: id, toolName: "run", toolResult: value, toolError: null },
});

export function repairProperty(): fc.IProperty<[Message[]]> {
  const id = fc.constantFrom("1", "2", "3");
  const message = fc.oneof(
    fc.constant(user("u")),
    fc.array(id, { maxLength: 3 }).map((ids) => calls(...ids)),
    id.map((one) => result(one)),
    fc.array(id, { maxLength: 2 }).map((ids): Message => ({ ...calls(...ids), content: "t", stopReason: "aborted" })),
  );
  return fc.property(fc.array(message, { maxLength: 12 }), (log) => {
    const { messages } = repairPairs(log);
    const isResult = (at: number): boolean => messages[at] !== undefined && resultOf(messages[at]) !== null;
    if (isResult(0)) throw new Error("It begins with a result.");
    messages.forEach((one, i) => {
      const own = callsOf(one);
      own.forEach((call, at) => {
        const next = messages[i + 1 + at];
        if (next === undefined || resultOf(next)?.toolCallId !== call.id) throw new Error(`${call.id} has no result.`);
      });
      if (!isResult(i) && isResult(i + 1 + own.length)) throw new Error("A result has no call.");
    });
    const users = (list: readonly Message[]): number => list.filter(({ role }) => role === "user").length;
    if (users(messages) !== users(log)) throw new Error("A message of the user is lost.");
    const again = repairPairs(messages);
    if (JSON.stringify(again.messages) !== JSON.stringify(messages)) throw new Error("A second repair changes it.");
  });
}
