// Sessions of iFlow CLI: records of Claude Code's shape, with results as Gemini's interface takes them. docs/formats/iflow.md says what
// is read, and how.
import { promptTokens, type Draft, type Format } from "#lib/kernel/draft.ts";
import { claudeCode } from "./claude-code.ts";
import type { ClaudeState } from "./claude-code/claude-state.ts";
import { isIFlowRecord } from "./claude-code/iflow-record.ts";
import { areMessagesOf, hasNone } from "./first-records.ts";
import { homeFolder } from "./home-folder.ts";
import { asText, type Json } from "./json.ts";

export const iflow: Format<ClaudeState> = {
  id: "iflow",
  label: "iFlow CLI",
  signs: "lines with uuid and a sessionId that begins with session-",
  // 2: results whose parts are a list.
  version: 2,
  reader: "lines",
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    return home ? [[home, ".iflow", "projects"].join(separator)] : [];
  },
  wants: (path) => /[\\/]projects[\\/][^\\/]+[\\/]session-[^\\/]+\.jsonl$/.test(path),
  detect: ({ head }) => areMessagesOf(head, isFamilyRecord, isIFlowRecord),
  cleanup: "unknown",
  start: claudeCode.start,
  resume: claudeCode.resume!,
  parse: (record, state) => claudeCode.parse(record, state).map(ownDraft),
  identify: claudeCode.identify,
};

const isFamilyRecord = (record: Json): boolean =>
  asText(record["type"]) !== null && hasNone(record, ["payload", "session_id", "systemPayload"]);

/** Most models of iFlow are counted as zero: that is no count. */
const ownDraft = (draft: Draft): Draft =>
  draft.kind === "call" && draft.usage !== null && promptTokens(draft.usage) + draft.usage.output === 0
    ? { ...draft, usage: null }
    : draft.kind === "call"
      ? { ...draft, outputLowerBound: false }
      : draft;
