// Which session a record of telemetry tells of, and how much of the record is stored.
import type { OtlpRecord } from "./otlp-records.ts";
import { textOf } from "./otlp-values.ts";

/** Agents whose telemetry and whose session files carry the same id, by the format of the file. */
export const REPORTING_AGENTS = [
  "claude-code",
  "codex",
  "copilot",
  "copilot-chat",
  "gemini",
  "qwen",
  "antigravity",
] as const;
export type ReportingAgent = (typeof REPORTING_AGENTS)[number];

export type Owner = {
  /** The agent whose own log events these are; `otlp` for spans of anybody. */
  readonly format: ReportingAgent | "otlp";
  readonly id: string;
  /** False where only the trace says what belongs together. */
  readonly isNamed: boolean;
};

const NAMES = [
  "gen_ai.conversation.id",
  "session.id",
  "conversation.id",
  "ai.telemetry.metadata.sessionId",
  "ai.telemetry.metadata.conversationId",
  "ai.telemetry.metadata.threadId",
  "ai.telemetry.metadata.chatId",
  "langfuse.session.id",
  "traceloop.association.properties.session_id",
  "traceloop.association.properties.thread_id",
];

/** Longer ones are no names. */
const NAME_CHARS = 400;

/** The session of a record; null for one that tells of none. */
export function ownerOf(record: OtlpRecord): Owner | null {
  const named = textOf(record.attributes, ...NAMES);
  const id = named !== null && named.length <= NAME_CHARS ? named : null;
  const format = agentOf(record) ?? "otlp";
  if (id !== null) return { format, id, isNamed: true };
  return format === "otlp" && record.traceId !== null ? { format, id: record.traceId, isNamed: false } : null;
}

export function agentOf({ service, name, attributes }: OtlpRecord): ReportingAgent | null {
  if (service === "github-copilot") return "copilot";
  // The extension of VS Code: a conversation has the id of its chat.
  if (service === "copilot-chat") return "copilot-chat";
  if (service === "antigravity") return "antigravity";
  if (service === "claude-code" || /^claude_code\./.test(name)) return "claude-code";
  if (service === "gemini-cli" || /^gemini_cli\./.test(name)) return "gemini";
  if (service === "qwen-code" || /^qwen-code\./.test(name)) return "qwen";
  return /^codex(?:$|[_-])/.test(service) || /^codex\./.test(textOf(attributes, "event.name") ?? name) ? "codex" : null;
}

/** Spans of Claude Code that say what its log events say; the others time its insides. */
const CLAUDE_SPANS = /^claude_code\.(?:llm_request|tool|interaction)$/;
const AGENT_METRICS = /^(?:claude_code\.(?:token|cost)|(?:gemini_cli|qwen-code)\.token)\.usage$/;
/** Events of a stream: one for each piece of an answer. */
const CODEX_PIECE = /^response\.(?!completed)/;
const ABOUT_MODELS = /^(?:gen_ai|llm|openinference|ai|traceloop|tool|tool_call|embedding|retrieval)\./;
const AGENT_LOGS = /^(?:gemini_cli|qwen-code)\./;

/**
 * `whole`: kept as it came. `position`: a span about no model, tool or agent; its ids, name and times hold the trace together,
 * and nothing else of it is stored. `none`: it says nothing of a session.
 */
export function storedPart(record: OtlpRecord): "whole" | "position" | "none" {
  const agent = agentOf(record);
  if (record.kind === "metric")
    return AGENT_METRICS.test(record.name) && record.isDistribution === undefined ? "whole" : "none";
  if (record.kind === "log") {
    if (agent === "codex") return isPiece(record) ? "none" : "whole";
    const isOwn = agent === "claude-code" || AGENT_LOGS.test(record.name);
    return isOwn || record.name.startsWith("gen_ai.") ? "whole" : "none";
  }
  if (agent === "claude-code") return CLAUDE_SPANS.test(record.name) ? "whole" : "none";
  if (agent === "codex") return "none";
  return isAboutModels(record) ? "whole" : "position";
}

const isPiece = ({ name, attributes }: OtlpRecord): boolean =>
  !name.startsWith("codex.") ||
  (name === "codex.sse_event" &&
    (CODEX_PIECE.test(textOf(attributes, "event.kind") ?? "") || !attributes.has("input_token_count")));

export const isAboutModels = ({ attributes }: OtlpRecord): boolean =>
  [...attributes.keys()].some((name) => ABOUT_MODELS.test(name));
