// Artifacts that were named in what a compaction covers: their names go on, newest first, within the budget of recall,
// so that what was offloaded can still be read back. The bytes stay where they are; compaction never deletes any.
import { RECALL_DEFAULTS } from "../artifacts/recall.ts";
import { jsonText } from "../json-text.ts";
import { corpusOf } from "./corpus.ts";
import type { RawTrace } from "./memory-types.ts";

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
  const oldestFirst = corpusOf(covered, []).map((trace) => ({ trace, envelope: envelopeOf(trace) }));
  const envelopes = new Map(
    oldestFirst.flatMap(({ envelope }) => (envelope === null ? [] : envelope.names.map((name) => [name, envelope]))),
  );
  const result = new Set(visible.flatMap((trace) => envelopeOf(trace)?.names ?? namesIn(trace)));
  const lines: string[] = [];
  let chars = 0;
  for (const { trace, envelope } of oldestFirst.toReversed()) {
    // What an envelope shows of its output is the tool's word: names in it are none that the agent was given.
    for (const name of envelope?.names ?? namesIn(trace)) {
      if (result.has(name)) continue;
      const { names, text } = envelopes.get(name) ?? { names: [name], text: lineOf([name], trace) };
      if (lines.length >= maxItems || chars + text.length + 1 > maxChars) return lines;
      for (const each of names) result.add(each);
      lines.push(text);
      chars += text.length + 1;
    }
  }
  return lines;
}

function namesIn({ toolResult, toolResultRef, content }: RawTrace): string[] {
  const texts = [toolResultRef ?? "", textOf(toolResult), content];
  return [...new Set(texts.flatMap((text) => text.slice(0, SEARCHED_CHARS).match(NAME) ?? []))];
}

const textOf = (value: unknown): string => (value == null ? "" : typeof value === "string" ? value : jsonText(value));

type Envelope = { readonly names: readonly string[]; readonly text: string };

/** The names of an offloaded result, for its content and for its storing, and the line that says both. */
function envelopeOf(trace: RawTrace): Envelope | null {
  const fields = fieldsOf(trace.toolResult);
  if (fields === null) return null;
  const own = [fields.artifact_id ?? fields.artifact_reference, fields.pointer].flatMap(
    (name) => (typeof name === "string" && name.length < 100 && name.match(NAME)) || [],
  );
  const names = [...new Set([...own, ...(trace.toolResultRef?.match(NAME) ?? [])])];
  return own.length === 0 ? null : { names, text: lineOf(names, trace, fields) };
}

function lineOf(names: readonly string[], { toolName }: RawTrace, fields: Record<string, unknown> = {}): string {
  const size = fields.size_bytes ?? fields.sizeBytes;
  const said = fields.summary ?? fields.preview;
  const facts = [
    ...names,
    ...(toolName ? [oneLine(toolName).slice(0, 64)] : []),
    ...(typeof size === "number" ? [`${size} bytes`] : []),
  ];
  const summary = typeof said === "string" ? oneLine(said).slice(0, SUMMARY_CHARS).toWellFormed() : "";
  return `${facts.join(", ")}${summary === "" ? "" : `: ${summary}`}`;
}

function fieldsOf(value: unknown): Record<string, unknown> | null {
  // Most results name no artifact: they are not parsed.
  if (typeof value === "string" && (!/^\s*\{.*art[_:]/s.test(value) || value.length > SEARCHED_CHARS)) return null;
  try {
    const parsed: unknown = typeof value === "string" ? JSON.parse(value) : value;
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
