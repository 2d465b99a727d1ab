// What a tool call was given, read by the names that agents give the fields: the file that it names, the command that it runs.

export type Fields = Readonly<Record<string, unknown>>;

const PATHS = ["file_path", "notebook_path", "filePath", "path", "target_file", "filename"] as const;
const COMMANDS = ["command", "cmd", "script"] as const;

export const isFields = (input: unknown): input is Fields =>
  typeof input === "object" && input !== null && !Array.isArray(input);

/** The first field that names a file, as the call wrote it. */
export function pathIn(fields: Fields): string | null {
  const path = PATHS.map((key) => fields[key]).find((value) => typeof value === "string" && value !== "");
  return typeof path === "string" ? path : null;
}

export function commandIn(fields: Fields): string | null {
  for (const key of COMMANDS) {
    const value = fields[key];
    if (typeof value === "string" && value.trim() !== "") return value;
    if (Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === "string"))
      // A shell that is given its words: the words are the command.
      return value.length === 3 && /^-\w*c$/.test(value[1] as string) ? (value[2] as string) : value.join(" ");
  }
  return null;
}
