// The lines of a text, and where each lies in it.
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

export type LineOfText = { readonly text: string; readonly from: number; readonly to: number };

export function linesOfText(bytes: Uint8Array): LineOfText[] {
  const lines: LineOfText[] = [];
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(10, from);
    const to = end < 0 ? bytes.length : end;
    lines.push({ text: utf8.decode(bytes.subarray(from, to)).replace(/\r$/, ""), from, to });
    from = to + 1;
  }
  return lines;
}
