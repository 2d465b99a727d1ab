// One output that is large by itself, and was carried by every call after it.
import {
  ENVELOPE,
  fixOf,
  isRead,
  isSearch,
  isShell,
  isWait,
  largestOf,
  lastUseOf,
  NARROWED,
  outputsOf,
  oversizedFrom,
  spanOf,
  sumTokens,
  type Output,
} from "./outputs.ts";
import type { Detector, Suspect } from "./culprit-types.ts";
import { exactly } from "../../exactly.ts";

/** One file, one culprit, however often it was read. */
export const oversizedOutput: Detector = (session) => {
  const large = outputsOf(session).filter(({ tokens }) => tokens > oversizedFrom(session.loadLine));
  return [
    ...Map.groupBy(large, ({ seq, path, item }) => (path === null ? `${seq}` : `${item.label} ${path}`)).values(),
  ].map(suspectOf);
};

function suspectOf(outputs: readonly Output[]): Suspect {
  const largest = largestOf(outputs);
  const lastUsed = lastUseOf(outputs);
  const keep = outputs.map((output) => (output.lastUsed === null ? ENVELOPE : NARROWED));
  const seqs = outputs.map(({ seq }) => seq);
  return {
    detector: "oversized-output",
    seq: largest.seq,
    seqs,
    label: outputs.length === 1 ? largest.item.label : `${largest.item.label} ${outputs.length}×`,
    toolName: largest.item.toolName,
    ...spanOf(outputs),
    tokens: sumTokens(outputs),
    // Literal words decide what was used: an output that nobody named may still have been read with profit.
    confidence: lastUsed === null ? 0.9 : 0.7,
    lastUsed,
    fix: fixFor(largest),
    cure: { do: "trim", seqs, keep },
  };
}

function fixFor({ item: { toolName }, range, lastUsed, command, writes }: Output): string {
  if (writes) return "Edit parts, not the whole file";
  if (isWait(toolName)) return `Call ${toolName} with a limit on its output`;
  if (isSearch(toolName)) return "Narrow it, or list files only";
  if (isRead(toolName) && range?.lines != null) return fixOf(`Read fewer than ${exactly(range.lines)} lines at once`);
  if (isRead(toolName)) return lastUsed === null ? "Offload it, then grep" : "Read only the lines needed";
  if (isShell(toolName))
    return /\b(cat|sed|nl|head|tail)\b/.test(command ?? "") ? "Read fewer lines at once" : "Offload it, then grep";
  return "Offload it, then grep";
}
