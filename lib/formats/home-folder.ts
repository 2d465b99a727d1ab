// Where a person's own files lie, on any system: agents keep theirs below it.
type Environment = Readonly<Record<string, string | undefined>>;

/** A program of Windows may run where HOME is set too, by a shell of another system. */
export const homeFolder = (env: Environment, os: string): string | undefined =>
  os === "win32" ? env["USERPROFILE"] || env["HOME"] : env["HOME"] || env["USERPROFILE"];
