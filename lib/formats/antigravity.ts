// Transcripts of Antigravity's agent, of the editor and of the terminal: one step a line. docs/formats/antigravity.md says what is read, and
// what is not in them.
import type { Draft, Format, SourceRecord } from "#lib/kernel/draft.ts";
import { stepDrafts } from "./antigravity/antigravity-steps.ts";
import { isStep, startAntigravity, type AntigravityState } from "./antigravity/antigravity-state.ts";
import { isObject } from "./json.ts";
import { readValues } from "./json-lines.ts";
import { firstLine, headValue } from "./json-parts.ts";
import { homeFolder } from "./home-folder.ts";

/** Folders of the editor, of its second release and of the terminal's agent. */
const PRODUCTS = ["antigravity", "antigravity-ide", "antigravity-cli"];

export const antigravity: Format<AntigravityState> = {
  id: "antigravity",
  label: "Antigravity",
  signs: "lines with source, type and step_index or status",
  // 2: a transcript outside of a conversation's folder keeps its name as it grows.
  // 3: a record without content begins no turn.
  // 4: results are of a call of their own tool; an error stands in a field of its own.
  version: 4,
  reader: "lines",
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    return home ? PRODUCTS.map((name) => [home, ".gemini", name, "brain"].join(separator)) : [];
  },
  // `logs/chunks` has the same steps once more.
  wants: (path) => /[\\/]\.system_generated[\\/]logs[\\/]transcript(?:_full)?\.jsonl$/.test(path),
  detect: ({ head }) => isStep(headValue(firstLine(head))),
  cleanup: "unknown",
  start: startAntigravity,
  parse,
  identify: ({ id }) => id,
};

function parse(source: SourceRecord, state: AntigravityState): Draft[] {
  if (source.oversized === true) return [];
  const { values, problems } = readValues(source, (value) => isObject(value) && isStep(value));
  const drafts: Draft[] = problems.map((problem) => ({ kind: "problem", line: source.line, ...problem }));
  for (const { value, byteStart, byteEnd } of values) drafts.push(...stepDrafts(value, { byteStart, byteEnd }, state));
  return drafts;
}
