// What was not finished: steps of the last plan, calls that no result has come to, and where the agent stopped.
import { clipped, oneLine, tailOf } from "./line-text.ts";
import type { Piece } from "./piece.ts";

export type OpenItem = { readonly text: string; readonly seq: number };

const STEP_CHARS = 200;
/** The end of the last answer: what comes next is said there. */
const LAST_CHARS = 300;

export function openItems(pieces: readonly Piece[]): OpenItem[] {
  const items: OpenItem[] = [];
  const last = pieces.findLast(({ kind }) => kind === "assistant");
  if (last !== undefined) items.push({ text: `last said: ${tailOf(oneLine(last.text), LAST_CHARS)}`, seq: last.seq });
  for (const { text, toolName, seq } of unanswered(pieces))
    items.push({
      text: `no result yet: ${clipped(oneLine(`${toolName ?? "call"}: ${text.slice(0, 800)}`), STEP_CHARS)}`,
      seq,
    });
  const plan = pieces.findLast(({ open, kind }) => kind === "tool_call" && open !== null);
  for (const step of plan?.open ?? [])
    items.push({ text: `to do: ${clipped(oneLine(step), STEP_CHARS)}`, seq: plan!.seq });
  return items;
}

/** Calls after the last result: those before it were answered, or are known to the log as lost. */
function unanswered(pieces: readonly Piece[]): Piece[] {
  const from = pieces.findLastIndex(({ kind }) => kind !== "tool_call" && kind !== "note");
  return pieces.slice(from + 1).filter(({ kind }) => kind === "tool_call");
}
