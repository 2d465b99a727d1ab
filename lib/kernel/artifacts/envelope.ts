// What stands in the context in place of an output that was stored: short JSON in a fixed order of keys, with nothing in
// it that changes from one request to the next (no relative times, no counters: a prompt cache would miss).
import { fitParts, fitText } from "./envelope-fit.ts";
import type { EnvelopeParts, PartWeights } from "./envelope-fit.ts";
import type { EnvelopeStyle } from "./offload-presets.ts";
import { utf8Size } from "./pointer.ts";
import { headOf } from "./preview.ts";
import type { Shape } from "./shape-counter.ts";
import { tokenBound } from "./token-bound.ts";

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
/** Characters of the end that an error shows. */
const TAIL_CHARS = 200;

/** Tokens of the two styles of our own, at most (o200k; envelope-tokens.test.ts counts them). */
export const ENVELOPE_TOKENS = { lean: 250, unified: 450 } as const;
/** Of these, keys, quotes and fixed texts; measured with all tools and an error. */
export const FIXED_TOKENS = { lean: 65, unified: 127 } as const;
/** A tool name is at most 64 characters where a provider checks it. */
const NAME_TOKENS = 30;

export function envelopeOf(facts: EnvelopeFacts, style: EnvelopeStyle): string {
  return STYLES[style](facts);
}

const STYLES: Readonly<Record<EnvelopeStyle, (facts: EnvelopeFacts) => string>> = {
  lean: (facts) => {
    const ids = [facts.artifactId, ...measures(facts)];
    const weights = facts.isError
      ? { shape: 2, preview: 3, summary: 0, tail: 4 }
      : { shape: 2, preview: 3, summary: 0, tail: 0 };
    const { shape, preview, tail } = fit(facts, "lean", ids, weights);
    return JSON.stringify({
      artifact_id: facts.artifactId,
      ...described(facts),
      shape,
      preview,
      how_to_access: sentenceOf(facts),
      ...(facts.isError && { is_error: true, tail }),
    });
  },
  unified: (facts) => {
    const ids = [facts.artifactId, facts.pointer, facts.expiresAt ?? "", ...measures(facts)];
    const weights = { shape: 3, preview: 4, summary: 2, tail: facts.isError ? 4 : 0 };
    const { shape, preview, summary, tail } = fit(facts, "unified", ids, weights);
    return JSON.stringify({
      artifact_id: facts.artifactId,
      pointer: facts.pointer,
      ...described(facts),
      shape,
      preview,
      summary,
      how_to_access: accessOf(facts),
      note: facts.availableTools.includes("getArtifact")
        ? AGENTIUM_NOTE
        : AGENTIUM_NOTE.slice(0, AGENTIUM_NOTE.indexOf(" Call")),
      expires_at: facts.expiresAt,
      ...(facts.isError && { is_error: true, tail }),
    });
  },
  agentium: (facts) =>
    JSON.stringify({
      pointer: facts.pointer,
      preview: facts.preview,
      sizeBytes: facts.sizeBytes,
      note: AGENTIUM_NOTE,
      ...errorOf(facts),
    }),
  secondbrain: (facts) =>
    JSON.stringify({
      artifact_reference: facts.artifactId,
      summary: facts.summary,
      hint: SECONDBRAIN_HINT,
      size_bytes: facts.sizeBytes,
      ...(facts.path !== null && { path: facts.path }),
      ...errorOf(facts),
    }),
  vectara: (facts) =>
    JSON.stringify({
      artifact_id: facts.artifactId,
      size_bytes: facts.sizeBytes,
      line_count: facts.lineCount,
      shape: facts.shape,
      how_to_access: accessOf(facts),
      ...errorOf(facts),
    }),
  note: (facts) =>
    `${NOTE_BEGINS}${facts.artifactId}: what ${oneLine(facts.toolName ?? "a tool")} returned is kept out of the context (${facts.sizeBytes} bytes, ${facts.lineCount} lines).${facts.isError ? ` is_error: true, ended: ${oneLine(tailOfError(facts))}.` : ""} ${sentenceOf(facts)}]`,
  openclaw: (facts) =>
    [
      OPENCLAW_FIRST_LINE,
      `id: ${oneLine(facts.artifactId)}`,
      `tool: ${oneLine(facts.toolName ?? "unknown")}`,
      `size: ${Math.ceil(facts.sizeBytes / 1024)}KB`,
      `created: ${facts.createdAt}`,
      `summary: ${placeholderSummary(facts)}`,
      ...(facts.path === null ? [] : [`path: ${oneLine(facts.path)}`]),
      ...(facts.isError ? ["is_error: true", `tail: ${oneLine(tailOfError(facts))}`] : []),
    ].join("\n"),
};

const described = (facts: EnvelopeFacts): object => ({
  tool_name: facts.toolName === null ? null : nameWithin(facts.toolName),
  content_type: nameWithin(facts.contentType),
  size_bytes: facts.sizeBytes,
  line_count: facts.lineCount,
});

const nameWithin = (name: string): string => fitText(name, NAME_TOKENS, (chars) => `${headOf(name, chars)}…`);

/** What `described` shows, as far as its length is not known beforehand. */
const measures = (facts: EnvelopeFacts): readonly unknown[] => Object.values(described(facts));

function fit(
  facts: EnvelopeFacts,
  style: keyof typeof FIXED_TOKENS,
  shown: readonly unknown[],
  weights: PartWeights,
): EnvelopeParts {
  const room =
    ENVELOPE_TOKENS[style] - FIXED_TOKENS[style] - shown.reduce<number>((sum, one) => sum + tokenBound(String(one)), 0);
  return fitParts({ ...facts, tail: tailOfError(facts) }, weights, room);
}

const tailOfError = ({ tail }: EnvelopeFacts): string => tail.slice(-TAIL_CHARS);

const errorOf = (facts: EnvelopeFacts): object => (facts.isError ? { is_error: true, tail: tailOfError(facts) } : {});

/** Texts of `how_to_access`, one for each tool that the agent has. */
const ACCESS: readonly (readonly [tool: string, text: string])[] = [
  ["artifact_read", "Read full content or a line range (start_line/end_line)"],
  ["artifact_grep", "Search for patterns with grep"],
  ["artifact_jq", "Query with jq expressions, e.g. '.results[0]', '.[] | select(.score > 0.5)'"],
];

function accessOf({ availableTools }: EnvelopeFacts): Record<string, string> {
  return Object.fromEntries(ACCESS.filter(([tool]) => availableTools.includes(tool)));
}

const hasJson = (contentType: string): boolean => /^application\/(json|x-ndjson)$/.test(contentType);

/** One sentence. jq is named for JSON alone: it refuses anything else. */
function sentenceOf({ availableTools, contentType }: EnvelopeFacts): string {
  const has = (tool: string): boolean => availableTools.includes(tool);
  const tools = [
    ...(has("artifact_read") ? ["artifact_read (start_line/end_line)"] : []),
    ...(has("artifact_grep") ? ["artifact_grep"] : []),
    ...(has("artifact_jq") && hasJson(contentType) ? ["artifact_jq"] : []),
    ...(has("getArtifact") && !has("artifact_read") ? ["getArtifact"] : []),
  ];
  if (tools.length === 0) return "Stored whole outside the context; none of your tools reads it.";
  const last = tools.pop()!;
  return `Stored whole; use ${tools.length === 0 ? last : `${tools.join(", ")} or ${last}`} with its artifact_id.`;
}

/** At most 200 characters, and a mark when the output is longer. */
function placeholderSummary({ summary, sizeBytes }: EnvelopeFacts): string {
  if (summary.trim() === "") return "tool result";
  return `${oneLine(summary)}${utf8Size(summary) < sizeBytes ? "…" : ""}`;
}

/** What stands on one line of the placeholder cannot begin another. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ");

const NOTE_BEGINS = "[Stored as ";

/** The keys that each JSON style begins with. */
const FIRST_KEYS: readonly (readonly string[])[] = [
  ["artifact_id", "tool_name", "content_type", "size_bytes", "line_count", "shape", "preview", "how_to_access"],
  ["artifact_id", "pointer", "tool_name", "content_type", "size_bytes", "line_count", "shape", "preview", "summary"],
  ["pointer", "preview", "sizeBytes", "note"],
  ["artifact_reference", "summary", "hint", "size_bytes"],
  ["artifact_id", "size_bytes", "line_count", "shape", "how_to_access"],
];
/** Longer texts are no envelopes, and are not parsed (characters): a preview has at most 2,000, escaped six times that. */
const ENVELOPE_CHARS = 16 * 1024;

/** True for an envelope of any style. One is never offloaded: its pointer would stand behind a pointer. */
export function isEnvelope(text: string): boolean {
  if (text.length > ENVELOPE_CHARS) return false;
  if (text.startsWith(`${OPENCLAW_FIRST_LINE}\nid: art`) || text.startsWith(`${NOTE_BEGINS}art`)) return true;
  if (!/^\s*\{\s*"(artifact_id|pointer|artifact_reference)"/.test(text)) return false;
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return false;
  }
  const keys = Object.keys(value);
  if (!FIRST_KEYS.some((first) => first.every((key, i) => keys[i] === key))) return false;
  const id = value.artifact_id ?? value.pointer ?? value.artifact_reference;
  const size = value.size_bytes ?? value.sizeBytes;
  return typeof id === "string" && /^art[:_]/.test(id) && Number.isInteger(size);
}
