// What the records of all of Kiro's stores have in common: the session's own words, its sums, and the place of what is taken back.
import type { Draft, SessionPatch, Usage } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { clip } from "../json.ts";
import { patchOf } from "../placed-drafts.ts";
import { eventOf, noteOf, type Entry } from "../qwen/qwen-drafts.ts";
import { creditsText, TAILS, type KiroState } from "./kiro-state.ts";

export const NO_TOKENS = "Kiro keeps credits, and seldom the tokens of its model calls.";

/** What is known of the session, where it is not what was told last. */
export function aboutDrafts(state: KiroState): Draft[] {
  const { about, inside } = state;
  const patch: SessionPatch = {
    ...{ agentName: "Kiro", quality: NO_TOKENS },
    ...about?.patch,
    ...(inside !== null && { parent: inside, relation: "subagent" as const }),
  };
  const told = jsonText(patch);
  if (told === state.told) return [];
  state.told = told;
  return [patchOf("", patch)];
}

/** The session's own sums, told again whenever they have grown. */
export function sumDrafts(state: KiroState, entry: Entry): Draft[] {
  const { about } = state;
  if (about === null) return [];
  const told = jsonText([about.usage, about.credits]);
  if (told === state.toldSums) return [];
  state.toldSums = told;
  return [
    ...(Object.keys(about.usage).length === 0
      ? []
      : [{ kind: "reported" as const, lane: "", usd: null, usage: about.usage }]),
    ...(about.credits === 0 ? [] : [noteOf({ ts: entry.ts, key: null }, "credits", creditsText(about.credits))]),
  ];
}

export const callOf = (
  key: string,
  ts: number | null,
  state: Pick<KiroState, "about">,
  usage: Usage | null = null,
  model: string | null = state.about?.model ?? null,
): Draft => ({
  ...{ kind: "call", lane: "", key, ts, model, usage, outputLowerBound: false },
  ...(state.about?.window != null && { window: state.about.window }),
});

export function titleDrafts(text: string, state: KiroState): Draft[] {
  if (state.hasTitle || state.about?.patch.title !== undefined || text.trim() === "") return [];
  state.hasTitle = true;
  return [patchOf("", { title: clip(text.trim(), 300), titleRank: 0 })];
}

export function summaryDrafts(text: string, entry: Entry, preserved: readonly string[] = []): Draft[] {
  const nothing = { trigger: null, tokensBefore: null, tokensAfter: null };
  const kept = preserved.length > 0 ? { preserved: [...preserved] } : {};
  return [
    eventOf(entry, { type: "compaction", kind: "full", ...nothing, text, ...kept }),
    eventOf(entry, { type: "user", text, injected: "summary" }),
  ];
}

export const rewindOf = (entry: Entry, after: string | null): Draft =>
  eventOf(entry, { type: "rewind", text: "", after });

/** Notes what is the last message in context behind this record. */
export function rememberRecord(state: KiroState, tail: string | null): void {
  state.count++;
  state.tails = [...state.tails, tail].slice(-TAILS);
}

/** The last message in context when so many records were there; undefined where that is too long ago. */
export function tailAt(state: KiroState, records: number): string | null | undefined {
  if (records <= 0) return null;
  return state.tails[records - 1 - (state.count - state.tails.length)];
}
