// What a read asked, in a few words: lines, a pattern, a program.

/** `lines 1–200`, `/error/ -i`, `.rows | length`; what has no such field stays as JSON. */
export function readLabel(request: string): string {
  let requested: Record<string, unknown>;
  try {
    requested = JSON.parse(request) as Record<string, unknown>;
  } catch {
    return request;
  }
  if (typeof requested !== "object" || requested === null) return request;
  const { pattern, grep_options, start_line, end_line, start_char, max_chars, encoding } = requested;
  const program = requested["filter"] ?? requested["program"] ?? requested["expression"] ?? requested["jq"];
  const words = [
    typeof pattern === "string" ? `/${pattern}/` : "",
    Array.isArray(grep_options) ? grep_options.join(" ") : "",
    typeof program === "string" ? program : "",
    start_line !== undefined || end_line !== undefined ? `lines ${start_line ?? 1}–${end_line ?? "…"}` : "",
    start_char !== undefined || max_chars !== undefined ? `from character ${start_char ?? 0}` : "",
    encoding === "base64" ? "as base64" : "",
  ].filter((word) => word !== "");
  if (words.length > 0) return words.join(", ");
  const rest = Object.keys(requested).filter((key) => !["artifact_id", "pointer", "path", "name"].includes(key));
  return rest.length === 0 ? "all of it" : request;
}
