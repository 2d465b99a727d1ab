// The same artifact for another program: a shell with curl, our command line, a model's tool call.

type Copied = {
  readonly pointer: string;
  readonly id: string;
  readonly name: string | null;
  readonly toolName: string | null;
  readonly lineCount: number | null;
};

export const nameOf = ({ name, toolName }: Pick<Copied, "name" | "toolName">): string =>
  name ?? `Output of ${toolName ?? "a tool"}`;

/** For a shell: single quotes hold everything but themselves. */
export function curlOf(address: string, name: string): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  // A file name of 255 bytes is the most that file systems take.
  const file = name
    .replaceAll(/[\\/\p{Cc}\p{Cf}]/gu, "_")
    .replace(/^[.-]+/u, "_")
    .slice(0, 60);
  return `curl -H "Authorization: Bearer $PLIMSOLL_TOKEN" -o ${quoted(file)} ${quoted(address)}`;
}

export const commandOf = ({ pointer }: Copied): string => `plimsoll cat ${pointer}`;

/** What a model says to read it: text by its first lines, anything else as base64. */
export function toolCallOf({ id, lineCount }: Copied): string {
  const range =
    lineCount === null ? { encoding: "base64" } : { start_line: 1, end_line: Math.min(200, Math.max(1, lineCount)) };
  return JSON.stringify({ name: "artifact_read", arguments: { artifact_id: id, ...range } });
}
