// Artifacts that were named in what a compaction covers: their names go on, newest first, within the budget of recall,
// so that what was offloaded can still be read back. The bytes stay where they are; compaction never deletes any.
import { RECALL_DEFAULTS } from "../artifacts/recall.ts";
import { jsonText } from "../json-text.ts";
import { corpusOf } from "./corpus.ts";
import type { RawTrace } from "./types.ts";

export type CarryBudget = { readonly maxItems: number; readonly maxChars: number };

const NAME = /\bart_[0-9a-f]{16,64}\b|\bart:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
/** Characters of one result that are searched: an envelope is far shorter, and stands at the beginning. */
const SEARCHED_CHARS = 64 * 1024;
const SUMMARY_CHARS = 200;

/** A line for each artifact of `covered` that `visible` does not name. */
export function carriedArtifacts(
  covered: readonly RawTrace[],
  visible: readonly RawTrace[],
  { maxItems, maxChars }: CarryBudget = RECALL_DEFAULTS,
): string[] {
  const told = new Set(visible.flatMap(namesIn));
  const lines: string[] = [];
  let chars = 0;
  for (const trace of corpusOf(covered, []).toReversed()) {
    for (const name of namesIn(trace).toReversed()) {
      if (told.has(name)) continue;
      const line = lineOf(name, trace);
      if (lines.length >= maxItems || chars + line.length + 1 > maxChars) return lines;
      // An artifact has a name for its content and one for its storing: a line that says both stands for both.
      for (const each of line.match(NAME) ?? []) told.add(each);
      told.add(name);
      lines.push(line);
      chars += line.length + 1;
    }
  }
  return lines;
}

function namesIn({ toolResult, toolResultRef, content }: RawTrace): string[] {
  const texts = [toolResultRef ?? "", textOf(toolResult), content];
  return [...new Set(texts.flatMap((text) => text.slice(0, SEARCHED_CHARS).match(NAME) ?? []))];
}

const textOf = (value: unknown): string => (value == null ? "" : typeof value === "string" ? value : jsonText(value));

/** What the envelope says of it, where there is one; else the tool that named it. */
function lineOf(name: string, { toolName, toolResult }: RawTrace): string {
  const envelope = envelopeOf(toolResult);
  const isOwn = envelope?.artifact_id === name || envelope?.pointer === name;
  const pointer =
    isOwn && typeof envelope!.pointer === "string" && envelope!.pointer !== name ? envelope!.pointer : null;
  const facts = [
    name,
    ...(pointer === null ? [] : [pointer]),
    ...(toolName ? [oneLine(toolName).slice(0, 64)] : []),
    ...(isOwn && typeof envelope!.size_bytes === "number" ? [`${envelope!.size_bytes} bytes`] : []),
  ];
  const said = isOwn ? (envelope!.summary ?? envelope!.preview) : null;
  const summary = typeof said === "string" ? oneLine(said).slice(0, SUMMARY_CHARS).toWellFormed() : "";
  return `${facts.join(", ")}${summary === "" ? "" : `: ${summary}`}`;
}

function envelopeOf(value: unknown): Record<string, unknown> | null {
  try {
    const parsed: unknown = typeof value === "string" && value.startsWith("{") ? JSON.parse(value) : value;
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** One line, and nothing that could be taken for a name of its own. */
const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replace(NAME, "…")
    .trim();
