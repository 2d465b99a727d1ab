// How an artifact is named. `art:<uuid>` names one storing; `art_<hex>` names the content inside a session: the first
// 16 digits of its digest, 24 or 64 where two contents of one store begin alike.
import { jsonText } from "../json-text.ts";

/** True for any string that begins with `art:`; whether it leads anywhere is the store's to say. */
export const isPointer = (value: unknown): value is string => typeof value === "string" && value.startsWith("art:");

/** Bytes of UTF-8 of a value as the model would see it: a string as it is, anything else as JSON; 0 for what has none. */
export function approxByteSize(value: unknown): number {
  const text = typeof value === "string" ? value : jsonOrNull(value);
  return text === null ? 0 : utf8Size(text);
}

/** The text of a value: a string as it is, anything else as JSON. What JSON cannot say is said by String(). */
export function textOfValue(value: unknown): string {
  if (typeof value === "string") return value;
  return jsonOrNull(value) ?? safeString(value);
}

/** The JSON text of a value, or null: undefined, functions and circular objects have none. */
function jsonOrNull(value: unknown): string | null {
  if (value === undefined || typeof value === "function" || typeof value === "symbol") return null;
  try {
    return jsonText(value);
  } catch {
    return null;
  }
}

function safeString(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "[object]";
  }
}

/** Bytes of UTF-8 of a text, without encoding it; a lone surrogate is encoded as U+FFFD, three bytes. */
export function utf8Size(text: string): number {
  let size = text.length;
  // ASCII alone: the expression looks faster than the loop does.
  if (!/[^\0-\x7F]/.test(text)) return size;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    size += unit < 0x800 ? 1 : 2;
    // A pair takes four bytes for its two units.
    if ((unit & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) i++;
  }
  return size;
}

/** Digits of an artifact id, in the order in which they are tried. */
export const ID_LENGTHS = [16, 24, 64] as const;

export const artifactIdOf = (digest: string, length: (typeof ID_LENGTHS)[number] = 16): string =>
  `art_${digest.slice(0, length)}`;

/** The shortest id that no other content of the store has. `isTaken` tells of ids that stand for other content. */
export function freeArtifactId(digest: string, isTaken: (id: string) => boolean): string {
  const short = ID_LENGTHS.slice(0, -1).find((length) => !isTaken(artifactIdOf(digest, length)));
  return artifactIdOf(digest, short ?? 64);
}

export type ArtifactRefText = {
  readonly kind: "pointer" | "content" | "digest" | "name";
  readonly value: string;
};

/**
 * What a reference asks for: `art:<uuid>` one storing, `art_…` and `art:art_…` content, `sha256:<64 hex>` bytes,
 * anything else a name. A reference is data: it is looked up, and never part of a path.
 */
export function parseRef(text: string): ArtifactRefText {
  const value = text.trim();
  const content = /^(?:art:)?(art_[a-z0-9_-]+)$/.exec(value);
  if (content !== null) return { kind: "content", value: content[1]! };
  if (isPointer(value)) return { kind: "pointer", value: value.toLowerCase() };
  const digest = /^sha256:([0-9a-f]{64})$/i.exec(value);
  if (digest !== null) return { kind: "digest", value: digest[1]!.toLowerCase() };
  return { kind: "name", value: text };
}
