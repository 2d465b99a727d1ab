import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** `$XDG_DATA_HOME/plimsoll`, or what PLIMSOLL_ARCHIVE names. */
export function defaultArchiveDir(env: Readonly<Record<string, string | undefined>>): string {
  if (env["PLIMSOLL_ARCHIVE"]) return resolve(env["PLIMSOLL_ARCHIVE"]);
  const home = env["HOME"] || env["USERPROFILE"] || homedir();
  return join(env["XDG_DATA_HOME"] || join(home, ".local", "share"), "plimsoll");
}
