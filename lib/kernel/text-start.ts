// Where a file's text begins: a byte order mark and the blank lines before it say nothing.
const BOM = [0xef, 0xbb, 0xbf];

/** The first byte that is neither; the number of bytes where there is none. */
export function textStart(bytes: Uint8Array): number {
  let at = BOM.every((byte, i) => bytes[i] === byte) ? BOM.length : 0;
  while (bytes[at] === 0x20 || bytes[at] === 0x09 || bytes[at] === 0x0a || bytes[at] === 0x0d) at++;
  return at;
}
