// A row of a hex dump. Pure.

export const ROW_BYTES = 16;

export function hexRow(bytes: Uint8Array | undefined): { hex: string; text: string } {
  if (!bytes) return { hex: "", text: "" };
  const pairs = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"));
  const text = Array.from(bytes, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·")).join("");
  return { hex: `${pairs.slice(0, 8).join(" ").padEnd(23)}  ${pairs.slice(8).join(" ")}`, text };
}
