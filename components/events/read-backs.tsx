"use client";
// What an offloaded output saved, and which later calls read it back.
import { useQuery } from "@tanstack/react-query";
import { historyQuery } from "../shared/artifact-queries.ts";
import { readLabel } from "../shared/read-label.ts";
import { useSeesAll } from "../ui/access-context.ts";
import { useSession } from "../shared/session-context.tsx";
import { formatCount } from "../ui/format.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { Num } from "../ui/num.tsx";
import type { EventOf } from "./view.ts";

const SHOWN = 6;

export function Saved({ event }: { event: EventOf<"tool_result"> }) {
  const whole = event.stored?.tokens ?? null;
  if (whole === null || event.tokens === null || whole <= event.tokens) return null;
  const calls = event.callsResident ?? 0;
  return (
    <p>
      <b className="font-semibold text-ink">
        <Num value={whole - event.tokens} origin="estimated" /> tokens saved
      </b>
      {calls > 1 ? ` in each of ${formatCount(calls, "call")}.` : "."}
    </p>
  );
}

export function ReadBacks({ pointer }: { pointer: string }) {
  const { goTo } = useSession();
  // Where else it was read is of other sessions too.
  const history = useQuery({ ...historyQuery(pointer), enabled: useSeesAll() });
  const reads = history.data?.reads;
  if (reads === undefined) return null;
  const { calls, total } = reads;
  if (calls.length === 0)
    return (
      <p className="text-ink-3">
        {total === 0 ? "Never read back." : `Read back ${times(total)}, never from this session.`}
      </p>
    );
  const tokens = calls.reduce((sum, call) => sum + (call.tokens ?? 0), 0);
  const isCounted = calls.every((call) => call.origin === "counted");
  return (
    <p className="text-ink-3">
      Read back {times(calls.length)}, <Num value={tokens} origin={isCounted ? "counted" : "estimated"} /> tokens in
      all:
      {calls.slice(0, SHOWN).map((call) => (
        <button
          key={call.seq}
          type="button"
          className="link ml-2"
          title={shownText(readLabel(call.input)).slice(0, 400)}
          onClick={() => goTo(call.seq)}
        >
          {call.seq} {shownText(call.toolName.replace(/^artifact_/u, "")).slice(0, 40)}
        </button>
      ))}
      {calls.length > SHOWN && ` and ${calls.length - SHOWN} more`}
    </p>
  );
}

const times = (count: number): string => (count === 1 ? "once" : count === 2 ? "twice" : `${count} times`);
