// What a migration finds in a transcript, and the transcript as it will be. Pure: bytes in, bytes out.
import { isEnvelope, envelopeOf } from "#lib/kernel/artifacts/envelope.ts";
import { tailOf } from "#lib/kernel/artifacts/preview.ts";
import type { Span } from "../json-members.ts";
import { membersAt, replaceSpans } from "../json-members.ts";
import { ARTIFACT_VERSION, artifactRef, textOfContent } from "./artifact.ts";
import type { OpenClawArtifactRef } from "./artifact.ts";

/** The version of a transcript whose results are artifacts. */
const VERSION = 3;

/** A tool result that stands in the transcript itself. */
export type InlineResult = {
  /** Of the transcript, from 0. */
  readonly line: number;
  readonly content: unknown;
  /** As it is written. */
  readonly contentText: string;
  readonly toolName: string | undefined;
  readonly isError: boolean;
  /** ISO time. */
  readonly createdAt: string;
};

export type MigrationPlan = {
  readonly sessionId: string | undefined;
  readonly results: readonly InlineResult[];
  /** The header says that it is migrated. */
  readonly hasVersion: boolean;
  /** The bytes with each result, in order, replaced by its reference. */
  rewritten(refs: readonly OpenClawArtifactRef[]): Buffer;
};

type Entry = { readonly type?: unknown; readonly timestamp?: unknown; readonly message?: unknown };
type Message = {
  readonly role?: unknown;
  readonly toolName?: unknown;
  readonly content?: unknown;
  readonly details?: unknown;
  readonly isError?: unknown;
  readonly timestamp?: unknown;
};

/** The plan, or the reason why there is none. */
export function planMigration(bytes: Buffer, now: number): MigrationPlan | string {
  const lines = linesOf(bytes);
  const results: InlineResult[] = [];
  let header: Record<string, unknown> | null = null;
  let headerLine = -1;
  for (const [line, text] of lines.entries()) {
    if (text.trim() === "") continue;
    const entry = parse(text);
    if (entry === undefined) return "invalid jsonl line";
    if (header === null) {
      if (!isRecord(entry) || entry["type"] !== "session") return "invalid session header";
      header = entry;
      headerLine = line;
    } else {
      const result = inlineResultOf(entry, text, line, now);
      if (result !== null) results.push(result);
    }
  }
  if (header === null) return "empty session file";
  const version = header["version"];
  const hasVersion = typeof version === "number" && version >= VERSION;
  return {
    sessionId: typeof header["id"] === "string" ? header["id"] : undefined,
    results,
    hasVersion,
    rewritten(refs) {
      const changed = new Map(
        results.map((result, i) => [result.line, withRef(lines[result.line]!, result, refs[i]!)]),
      );
      if (!hasVersion) changed.set(headerLine, withVersion(lines[headerLine]!));
      return Buffer.from(lines.map((text, line) => changed.get(line) ?? text).join("\n"));
    },
  };
}

/** Bytes that are not UTF-8 would not survive being read as text: then there is no plan. */
function linesOf(bytes: Buffer): string[] {
  const text = bytes.toString("utf8");
  if (!Buffer.from(text).equals(bytes)) throw new Error("the session file is not UTF-8");
  return text.split("\n");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function inlineResultOf(entry: unknown, text: string, line: number, now: number): InlineResult | null {
  if (!isRecord(entry) || (entry as Entry).type !== "message") return null;
  const message = (entry as Entry).message as Message | undefined;
  if (!isRecord(message) || message.role !== "toolResult" || hasRef(message.details)) return null;
  const { content } = message;
  if (!Array.isArray(content) && typeof content !== "string") return null;
  // What looks like a placeholder but has no reference is text that somebody wrote: it is left alone, and its ids and
  // paths are not looked at.
  const first: unknown = Array.isArray(content) ? (content[0] as { text?: unknown } | undefined)?.text : content;
  if (typeof first === "string" && isEnvelope(first.trim())) return null;
  const span = membersOf(text)!.byKey.get("content")!;
  return {
    line,
    content,
    contentText: text.slice(span.start, span.end),
    toolName: typeof message.toolName === "string" ? message.toolName : undefined,
    isError: message.isError === true,
    createdAt: timeOf(message.timestamp) ?? timeOf((entry as Entry).timestamp) ?? new Date(now).toISOString(),
  };
}

const hasRef = (details: unknown): boolean =>
  isRecord(details) && artifactRef.safeParse(details["artifactRef"]).success;

function timeOf(timestamp: unknown): string | null {
  if (typeof timestamp !== "string" && typeof timestamp !== "number") return null;
  const time = new Date(timestamp);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/** The line with a placeholder as its content, and the reference in its details. */
function withRef(text: string, result: InlineResult, ref: OpenClawArtifactRef): string {
  const message = membersOf(text)!;
  const content = message.byKey.get("content")!;
  const placeholder = JSON.stringify([{ type: "text", text: placeholderOf(ref, result) }]);
  return replaceSpans(text, [{ ...content, text: placeholder }, ...detailsEdits(text, content, message.byKey, ref)]);
}

function detailsEdits(
  text: string,
  content: Span,
  members: ReadonlyMap<string, Span>,
  ref: OpenClawArtifactRef,
): (Span & { readonly text: string })[] {
  const added: [string, string][] = [
    ["artifactRef", JSON.stringify(ref)],
    ["artifactVersion", String(ARTIFACT_VERSION)],
  ];
  const inside = added.map(([key, value]) => `"${key}":${value}`).join(",");
  const at = members.get("details");
  if (at === undefined) return [{ start: content.end, end: content.end, text: `,"details":{${inside}}` }];
  const details = membersAt(text, at.start);
  if (details === null) {
    // Details that are no object are kept beside the reference.
    const original = text.slice(at.start, at.end);
    return [{ ...at, text: original === "null" ? `{${inside}}` : `{"original":${original},${inside}}` }];
  }
  const known = added.filter(([key]) => details.byKey.has(key));
  const fresh = added.filter(([key]) => !details.byKey.has(key)).map(([key, value]) => `"${key}":${value}`);
  const end = details.span.end - 1;
  return [
    ...known.map(([key, value]) => ({ ...details.byKey.get(key)!, text: value })),
    ...(fresh.length === 0
      ? []
      : [{ start: end, end, text: `${details.byKey.size === 0 ? "" : ","}${fresh.join(",")}` }]),
  ];
}

/** Characters of the end of an error that stay: that is where errors say what is wrong. */
const TAIL_CHARS = 200;

function placeholderOf(ref: OpenClawArtifactRef, { content, isError }: InlineResult): string {
  return envelopeOf(
    {
      artifactId: ref.id,
      pointer: "",
      toolName: ref.toolName ?? null,
      name: null,
      contentType: "application/json",
      sizeBytes: ref.sizeBytes,
      lineCount: null,
      shape: "",
      preview: ref.summary,
      // The placeholder marks itself what it cut.
      summary: ref.summary.replace(/…$/, ""),
      tail: isError ? tailOf(textOfContent(content), TAIL_CHARS) : "",
      isError,
      availableTools: [],
      path: ref.path,
      createdAt: ref.createdAt,
      expiresAt: null,
    },
    "openclaw",
  );
}

function withVersion(text: string): string {
  const header = membersAt(text, 0)!;
  const version = header.byKey.get("version");
  if (version !== undefined) return replaceSpans(text, [{ ...version, text: String(VERSION) }]);
  const { end } = header.byKey.get("type")!;
  return replaceSpans(text, [{ start: end, end, text: `,"version":${VERSION}` }]);
}

/** The members of a line's message. */
const membersOf = (text: string) => {
  const entry = membersAt(text, 0);
  const message = entry?.byKey.get("message");
  return message === undefined ? null : membersAt(text, message.start);
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
