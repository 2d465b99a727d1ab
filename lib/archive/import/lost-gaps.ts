// What an agent's totals name beyond the calls of its file. A fork's copy of the history says it again: then it is the parent's.
import { command } from "#db/statement.ts";
import { NO_USAGE, type Usage } from "#lib/kernel/draft.ts";
import type { Archive } from "../base/archive-type.ts";
import { eventRowId } from "../base/row-keys.ts";
import { addUsage, type SessionCounters } from "./session-counters.ts";

/** Gaps that are told apart: a session of 900 records had one. What is beyond stays this session's, under no event. */
const GAPS = 64;

/** `seq`: the event whose record says it. */
export function addLost(counters: SessionCounters, seq: number, usage: Usage): void {
  addUsage((counters.lost ??= { ...NO_USAGE }), usage);
  const [first] = counters.gaps;
  if (counters.gaps.length < GAPS || first === undefined) counters.gaps.push([seq, { ...usage }]);
  else {
    first[0] = 0;
    addUsage(first[1], usage);
  }
}

/** Takes the sum anew, of the gaps whose records are the session's own. */
export function recountLost({ sqlite }: Archive, pk: number, counters: SessionCounters): void {
  if (counters.gaps.length === 0) return;
  const isInherited = command(sqlite, "SELECT 1 FROM events WHERE id = ? AND inherited = 1");
  const own = counters.gaps.filter(([seq]) => seq === 0 || isInherited.get(eventRowId(pk, seq)) === undefined);
  const sum = { ...NO_USAGE };
  for (const [, usage] of own) addUsage(sum, usage);
  counters.lost = own.length === 0 ? null : sum;
}
