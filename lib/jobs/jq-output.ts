// What a program writes: the first bytes are kept, all are counted.

export type OutputSink = {
  /** Always takes everything. */
  write(piece: Uint8Array): number;
  readonly sizeBytes: number;
  readonly isCut: boolean;
  /** The kept bytes as text; when cut, at a line end in the second half, or else between two characters. */
  text(): string;
};

export function outputSink(mostBytes: number): OutputSink {
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let sizeBytes = 0;
  return {
    write(piece) {
      sizeBytes += piece.length;
      if (keptBytes < mostBytes && piece.length > 0) {
        // Copied: the piece is jq's memory, which it uses again.
        const part = Buffer.from(piece.subarray(0, mostBytes - keptBytes));
        kept.push(part);
        keptBytes += part.length;
      }
      return piece.length;
    },
    get sizeBytes() {
      return sizeBytes;
    },
    get isCut() {
      return sizeBytes > keptBytes;
    },
    text() {
      const bytes = Buffer.concat(kept);
      return (sizeBytes > keptBytes ? cutOf(bytes) : bytes).toString("utf8");
    },
  };
}

function cutOf(bytes: Buffer): Buffer {
  const lineEnd = bytes.lastIndexOf(10);
  if (lineEnd >= bytes.length / 2) return bytes.subarray(0, lineEnd + 1);
  let start = bytes.length;
  // The last character began at most four bytes ago; it stays when it is whole.
  do start--;
  while (start > 0 && start > bytes.length - 4 && (bytes[start]! & 0xc0) === 0x80);
  const first = bytes[start] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return bytes.subarray(0, start + length > bytes.length ? start : bytes.length);
}
