// What a read asked, in a few words: lines, a pattern, a program.

/** `lines 1–200`, `/error/ -i`, `.rows | length`; what has no such field stays as JSON. */
export function askedOf(request: string): string {
  let asked: Record<string, unknown>;
  try {
    asked = JSON.parse(request) as Record<string, unknown>;
  } catch {
    return request;
  }
  if (typeof asked !== "object" || asked === null) return request;
  const { pattern, grep_options, start_line, end_line, start_char, max_chars, encoding } = asked;
  const program = asked["filter"] ?? asked["program"] ?? asked["expression"] ?? asked["jq"];
  const words = [
    typeof pattern === "string" ? `/${pattern}/` : "",
    Array.isArray(grep_options) ? grep_options.join(" ") : "",
    typeof program === "string" ? program : "",
    start_line !== undefined || end_line !== undefined ? `lines ${start_line ?? 1}–${end_line ?? "…"}` : "",
    start_char !== undefined || max_chars !== undefined ? `from character ${start_char ?? 0}` : "",
    encoding === "base64" ? "as base64" : "",
  ].filter((word) => word !== "");
  if (words.length > 0) return words.join(", ");
  const rest = Object.keys(asked).filter((key) => !["artifact_id", "pointer", "path", "name"].includes(key));
  return rest.length === 0 ? "all of it" : request;
}
