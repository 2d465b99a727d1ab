// Sessions of Grok Build, xAI's agent: a folder for each, in it the conversation as the model has it, one row a line, and beside it what the
// session is about and what each turn used. docs/formats/grok.md says what is read, and how.
import type { Draft, Format, SourceRecord } from "#lib/kernel/draft.ts";
import { isObject } from "./json.ts";
import { readValues } from "./json-lines.ts";
import { grokDrafts } from "./grok/grok-rows.ts";
import {
  besideGrok,
  isGrokHead,
  isGrokRow,
  resumeGrok,
  startGrok,
  TOOL_ENDED,
  type GrokState,
} from "./grok/grok-state.ts";
import { homeFolder } from "./home-folder.ts";

export const grok: Format<GrokState> = {
  id: "grok",
  label: "Grok Build",
  signs: "lines with a type of system, user, assistant or tool_result and content, without ids",
  // 2: a conversation outside of a session's folder keeps its name as it grows; images and blocks that are not known.
  // 3: costs that stand as texts.
  // 4: a record without content begins no turn.
  // 5: what turns used, from a file that is too large to be read whole.
  // 6: how a tool ended and when; a sub-agent's use is in its parent's sums.
  version: 6,
  reader: "lines",
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    const root = env["GROK_HOME"] || (home ? [home, ".grok"].join(separator) : null);
    return root === null ? [] : [[root, "sessions"].join(separator)];
  },
  wants: (path) => /[\\/]chat_history\.jsonl$/.test(path),
  // What stands beside it in the session's folder is read with it, or not at all.
  isPart: (path) => /[\\/]\.grok[\\/]sessions[\\/].*\.jsonl$/.test(path) && !path.endsWith("chat_history.jsonl"),
  detect: ({ head }) => isGrokHead(head),
  sidecars: (path) => (/[\\/]chat_history\.jsonl$/.test(path) ? Object.values(besideGrok(path)) : []),
  // Each word of an answer and each output is in it: 57 MB after four hours.
  sidecarLines: (path) =>
    path.endsWith("updates.jsonl") ? '"usage"' : path.endsWith("events.jsonl") ? TOOL_ENDED : null,
  ownsSidecars: true,
  cleanup: "unknown",
  start: startGrok,
  resume: resumeGrok,
  parse,
  identify: ({ id }) => id,
  isNamed: ({ id }) => id !== null,
};

const isRecord = (value: unknown): boolean => isObject(value) && isGrokRow(value);

function parse(source: SourceRecord, state: GrokState): Draft[] {
  if (source.oversized === true) return [];
  const { values, problems } = readValues(source, isRecord);
  const drafts: Draft[] = problems.map((problem) => ({ kind: "problem", line: source.line, ...problem }));
  for (const { value, byteStart, byteEnd } of values) drafts.push(...grokDrafts(value, { byteStart, byteEnd }, state));
  return drafts;
}
