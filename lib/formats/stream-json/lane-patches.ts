// What is learned about a lane of a printed session, once.
import type { Draft } from "#lib/kernel/draft.ts";
import { clip } from "../json.ts";
import { patchOf } from "../placed-drafts.ts";
import { LANES, remember, type StreamState } from "./stream-state.ts";

export function titleDrafts(lane: string, text: string, state: StreamState): Draft[] {
  if (text.trim() === "" || state.titled.includes(lane)) return [];
  state.titled = [...state.titled, lane].slice(-LANES);
  return [patchOf(lane, { title: clip(text.trim(), 300), titleRank: 0 })];
}

export function modelDrafts(lane: string, model: string | null, state: StreamState): Draft[] {
  if (model === null || state.models[lane] === model) return [];
  remember(state.models, lane, model);
  return [patchOf(lane, { model })];
}
