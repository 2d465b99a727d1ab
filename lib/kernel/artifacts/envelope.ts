// What stands in the context in place of an output that was stored: short JSON in a fixed order of keys, with nothing in
// it that changes from one request to the next (no relative times, no counters: a prompt cache would miss).
import type { EnvelopeStyle } from "./policy.ts";
import type { Shape } from "./shape-tally.ts";

export type EnvelopeFacts = {
  /** `art_<hex>`: the content inside the session. */
  readonly artifactId: string;
  /** `art:<uuid>`: this storing of it. */
  readonly pointer: string;
  readonly toolName: string | null;
  readonly name: string | null;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly lineCount: number | null;
  readonly shape: Shape;
  /** previewOf the text. */
  readonly preview: string;
  /** summaryOf the text. */
  readonly summary: string;
  /** tailOf the text: shown when the result was an error, because errors stand at the end. */
  readonly tail: string;
  readonly isError: boolean;
  readonly availableTools: readonly string[];
  readonly path: string | null;
  /** ISO time. */
  readonly createdAt: string;
  readonly expiresAt: string | null;
};

const AGENTIUM_NOTE = "Output too large; full value stored as artifact. Call getArtifact(pointer) to read it.";
const SECONDBRAIN_HINT = "Use the read_file tool to retrieve the full content.";
const OPENCLAW_FIRST_LINE = "[Tool result omitted: stored as artifact]";

/** Texts of `how_to_access`, one for each tool that the agent has. */
const ACCESS: Readonly<Record<string, string>> = {
  artifact_read: "Read full content or a line range (start_line/end_line)",
  artifact_grep: "Search for patterns with grep",
  artifact_jq: "Query with jq expressions, e.g. '.results[0]', '.[] | select(.score > 0.5)'",
};

export function envelopeOf(facts: EnvelopeFacts, style: EnvelopeStyle): string {
  return STYLES[style](facts);
}

const STYLES: Readonly<Record<EnvelopeStyle, (facts: EnvelopeFacts) => string>> = {
  lean: (facts) =>
    json({
      artifact_id: facts.artifactId,
      tool_name: facts.toolName,
      content_type: facts.contentType,
      size_bytes: facts.sizeBytes,
      line_count: facts.lineCount,
      shape: facts.shape,
      preview: facts.preview,
      how_to_access: sentenceOf(facts),
      ...errorOf(facts),
    }),
  unified: (facts) =>
    json({
      artifact_id: facts.artifactId,
      pointer: facts.pointer,
      tool_name: facts.toolName,
      content_type: facts.contentType,
      size_bytes: facts.sizeBytes,
      line_count: facts.lineCount,
      shape: facts.shape,
      preview: facts.preview,
      summary: facts.summary,
      how_to_access: accessOf(facts),
      note: facts.availableTools.includes("getArtifact") ? AGENTIUM_NOTE : undefined,
      expires_at: facts.expiresAt,
      ...errorOf(facts),
    }),
  agentium: (facts) =>
    json({ pointer: facts.pointer, preview: facts.preview, sizeBytes: facts.sizeBytes, note: AGENTIUM_NOTE }),
  secondbrain: (facts) =>
    json({
      artifact_reference: facts.artifactId,
      summary: facts.summary,
      hint: SECONDBRAIN_HINT,
      size_bytes: facts.sizeBytes,
      path: facts.path ?? undefined,
    }),
  vectara: (facts) =>
    json({
      artifact_id: facts.artifactId,
      size_bytes: facts.sizeBytes,
      line_count: facts.lineCount,
      shape: facts.shape,
      how_to_access: accessOf(facts),
    }),
  openclaw: (facts) =>
    [
      OPENCLAW_FIRST_LINE,
      `id: ${facts.artifactId}`,
      `tool: ${facts.toolName ?? "unknown"}`,
      `size: ${Math.max(1, Math.round(facts.sizeBytes / 1024))}KB`,
      `created: ${facts.createdAt}`,
      `summary: ${facts.summary}`,
      ...(facts.path === null ? [] : [`path: ${facts.path}`]),
    ].join("\n"),
};

const errorOf = (facts: EnvelopeFacts): object => (facts.isError ? { is_error: true, tail: facts.tail } : {});

const isJson = (contentType: string): boolean =>
  contentType === "application/json" || contentType === "application/x-ndjson";

function accessOf(facts: EnvelopeFacts): Record<string, string> {
  return Object.fromEntries(Object.entries(ACCESS).filter(([tool]) => facts.availableTools.includes(tool)));
}

function sentenceOf({ availableTools, contentType }: EnvelopeFacts): string {
  const has = (tool: string): boolean => availableTools.includes(tool);
  const ways = [
    has("artifact_read")
      ? "read it with artifact_read (start_line/end_line)"
      : has("getArtifact")
        ? "read it with getArtifact"
        : "",
    has("artifact_grep") ? "search it with artifact_grep" : "",
    has("artifact_jq") && isJson(contentType) ? "query it with artifact_jq" : "",
  ].filter((way) => way !== "");
  if (ways.length === 0) return "Stored whole outside the context; you have no tool that reads it.";
  return `Stored whole; ${ways.join(", ")}.`;
}

const json = (envelope: object): string => JSON.stringify(envelope);

/** The keys that each JSON style begins with, and that tell it from what a tool may print. */
const FIRST_KEYS: readonly (readonly string[])[] = [
  ["artifact_id", "tool_name", "content_type", "size_bytes", "line_count", "shape", "preview", "how_to_access"],
  ["artifact_id", "pointer", "tool_name", "content_type", "size_bytes", "line_count", "shape", "preview", "summary"],
  ["pointer", "preview", "sizeBytes", "note"],
  ["artifact_reference", "summary", "hint", "size_bytes"],
  ["artifact_id", "size_bytes", "line_count", "shape", "how_to_access"],
];
/** No envelope is longer (characters): larger texts are not parsed. */
const ENVELOPE_CHARS = 16 * 1024;

/** True for an envelope of any style. One is never offloaded: the pointer would lead to a pointer. */
export function isEnvelope(text: string): boolean {
  if (text.length > ENVELOPE_CHARS) return false;
  if (text.startsWith(`${OPENCLAW_FIRST_LINE}\nid: art_`)) return true;
  if (!text.startsWith("{")) return false;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return false;
  }
  const keys = Object.keys(value as object);
  if (!FIRST_KEYS.some((first) => first.every((key, i) => keys[i] === key))) return false;
  const { artifact_id, pointer, artifact_reference } = value as Record<string, unknown>;
  const id = artifact_id ?? pointer ?? artifact_reference;
  return typeof id === "string" && /^art[:_]/.test(id);
}
