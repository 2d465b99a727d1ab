// One output that is large by itself, and was carried by every call after it.
import {
  ENVELOPE,
  fixOf,
  isRead,
  isSearch,
  isShell,
  isWait,
  NARROWED,
  outputsOf,
  oversizedFrom,
  type Output,
} from "./outputs.ts";
import type { Detector, Suspect } from "./types.ts";

export const oversizedOutput: Detector = (session) =>
  outputsOf(session)
    .filter(({ tokens }) => tokens > oversizedFrom(session.loadLine))
    .map((output): Suspect => ({
      detector: "oversized-output",
      seq: output.seq,
      seqs: [output.seq],
      label: output.item.label,
      toolName: output.item.toolName,
      from: output.from,
      last: output.to - 1,
      tokens: output.tokens,
      // Literal words decide what was used: an output that nobody named may still have been read with profit.
      confidence: output.lastUsed === null ? 0.9 : 0.7,
      lastUsed: output.lastUsed,
      fix: fixFor(output),
      cure: { do: "shrink", seqs: [output.seq], keep: output.lastUsed === null ? ENVELOPE : NARROWED },
    }));

function fixFor({ item: { toolName }, range, lastUsed, command, writes }: Output): string {
  if (writes) return "Edit parts, not the whole file";
  if (isWait(toolName)) return `Call ${toolName} with a limit on its output`;
  if (isSearch(toolName)) return "Narrow it, or list files only";
  if (isRead(toolName) && range?.lines != null)
    return fixOf(`Read fewer than ${range.lines.toLocaleString("en")} lines at once`);
  if (isRead(toolName)) return lastUsed === null ? "Offload it, then grep" : "Read only the lines needed";
  if (isShell(toolName))
    return /\b(cat|sed|nl|head|tail)\b/.test(command ?? "") ? "Read fewer lines at once" : "Offload it, then grep";
  return "Offload it, then grep";
}
