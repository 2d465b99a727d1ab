// A row of a hex dump. Pure.

export const ROW_BYTES = 16;

/** What a byte is, which says how it is coloured. */
export type ByteKind = "zero" | "text" | "control" | "high";

/** Bytes of one kind side by side, as pairs of digits or as characters. */
export type HexRun = { readonly kind: ByteKind; readonly text: string };

const kindOf = (byte: number): ByteKind =>
  byte === 0 ? "zero" : byte >= 0x20 && byte < 0x7f ? "text" : byte < 0x80 ? "control" : "high";

/** What does not show as a character shows as a dot. */
const charOf = (byte: number): string => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·");

export function hexRow(bytes: Uint8Array | undefined): { hex: readonly HexRun[]; text: readonly HexRun[] } {
  const hex: { kind: ByteKind; text: string }[] = [];
  const text: { kind: ByteKind; text: string }[] = [];
  for (const [i, byte] of (bytes ?? []).entries()) {
    const kind = kindOf(byte);
    // The gap in the middle, where eyes count from.
    put(hex, kind, `${byte.toString(16).padStart(2, "0")} ${i === ROW_BYTES / 2 - 1 ? " " : ""}`);
    put(text, kind, charOf(byte));
  }
  return { hex, text };
}

function put(runs: { kind: ByteKind; text: string }[], kind: ByteKind, text: string): void {
  const last = runs.at(-1);
  if (last?.kind === kind) last.text += text;
  else runs.push({ kind, text });
}

/** Digits of every offset of so many bytes: eight, or as many as the last one has. */
export const offsetDigits = (sizeBytes: number): number => Math.max(8, Math.max(0, sizeBytes - 1).toString(16).length);

/** An offset as it is typed: decimal, `0x…`, or with an `h` behind; null when it is none. */
export function readOffset(typed: string): number | null {
  const word = typed
    .trim()
    .replaceAll(/[,_\s]/g, "")
    .toLowerCase();
  const hex = /^(?:0x([0-9a-f]{1,13})|([0-9a-f]{1,13})h)$/.exec(word);
  if (hex) return Number.parseInt(hex[1] ?? hex[2] ?? "", 16);
  return /^\d{1,15}$/.test(word) ? Number(word) : null;
}
