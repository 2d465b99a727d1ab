// The words of a row's lifetime. Pure.
import type { EventType } from "#lib/kernel/event.ts";
import type { EventLifetime } from "#lib/wire/event-lifetime-schema.ts";
import { formatCount, formatTokens } from "../ui/format.ts";

const NAMES: Readonly<Partial<Record<EventType, string>>> = {
  tool_call: "Call",
  tool_result: "Result",
  meta: "Record",
};

/** `tool_call` → "Call", `user` → "User". */
export const partName = (type: EventType): string => NAMES[type] ?? `${type[0]!.toUpperCase()}${type.slice(1)}`;

/** "Carried by 56 of 84 calls: 2–40, 44–61." Calls are counted as the file has them, with gaps where an epoch was undone. */
export function spanWords({ calls, sessionCalls }: Pick<EventLifetime, "calls" | "sessionCalls">): string {
  if (calls.length === 0)
    return sessionCalls === 0 ? "The session has no model calls." : "No model call carried this event.";
  const of = `${formatTokens(calls.length)} of ${formatCount(sessionCalls, "call")}`;
  return `Carried by ${of}: ${spansOf(calls.map(({ call }) => call)).join(", ")}.`;
}

/** Runs of numbers, the first three; `[2, 3, 4, 9]` → `["2–4", "9"]`. */
function spansOf(calls: readonly number[]): string[] {
  const runs: [number, number][] = [];
  for (const call of calls) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === call - 1) last[1] = call;
    else runs.push([call, call]);
  }
  const words = runs.slice(0, SPANS).map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`));
  return runs.length > SPANS ? [...words, `and ${runs.length - SPANS} more`] : words;
}

const SPANS = 3;
