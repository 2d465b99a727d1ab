// Turns that were taken back: the log says how many, counted by their prompts.
import type { Draft } from "#lib/kernel/draft.ts";
import type { Json } from "../json.ts";
import type { CodexState } from "./codex-state.ts";
import { event, meta } from "./event-drafts.ts";
import type { Origin } from "./event-drafts.ts";
import { asWhole } from "./read.ts";

/** Prompts whose places are known: a state is small. */
const KNOWN = 5;

/** Keeps which record each prompt came after. */
export function noteTurns(drafts: readonly Draft[], state: CodexState): void {
  for (const draft of drafts) {
    if (draft.kind !== "event") continue;
    if (draft.startsTurn === true) {
      state.turnStarts.push(state.lastKey);
      if (state.turnStarts.length > KNOWN) {
        state.turnStarts.shift();
        state.hasForgotten = true;
      }
    }
    state.lastKey = draft.recordKey ?? state.lastKey;
  }
}

/** All from the first of these prompts on left the context. */
export function takeBack(payload: Json, origin: Origin, state: CodexState): Draft {
  const turns = asWhole(payload["num_turns"]);
  const text = `The last ${turns ?? "?"} turns were removed from the context.`;
  const at = state.turnStarts.length - (turns ?? 0);
  const after = state.turnStarts[state.hasForgotten ? at : Math.max(0, at)];
  // Which are gone is not known; of those that are remembered none is left.
  if (after === undefined) {
    if (at < 0) state.turnStarts = [];
    return meta(origin, "thread_rolled_back", text);
  }
  state.turnStarts = state.turnStarts.slice(0, Math.max(0, at));
  return event(origin, { type: "rewind", text, after });
}
