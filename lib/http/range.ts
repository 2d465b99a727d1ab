// `Range` of one byte range, as RFC 9110 says it. Several ranges in one request are answered with the whole.

export type ByteRange = { readonly start: number; readonly end: number };

/** The range that is asked for (end exclusive), `whole` when none or several are, `unsatisfiable` when it lies outside. */
export function parseRange(header: string | undefined, sizeBytes: number): ByteRange | "whole" | "unsatisfiable" {
  const match = header === undefined ? null : /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim());
  if (!match || (match[1] === "" && match[2] === "")) return "whole";
  const [, first = "", last = ""] = match;
  if (first === "") {
    const length = Math.min(Number(last), sizeBytes);
    return length === 0 ? "unsatisfiable" : { start: sizeBytes - length, end: sizeBytes };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return "whole";
  if (start >= sizeBytes) return "unsatisfiable";
  return { start, end: last === "" ? sizeBytes : Math.min(Number(last) + 1, sizeBytes) };
}
