// Where Claude Code puts outputs that are too long for the context: a folder beside the session's file.
import { baseName } from "./claude-state.ts";

/** The session's file without its ending, whose folder holds its outputs, and files of its sub-agents and workflows below it. */
const sessionPath = (path: string): string => path.replace(/([\\/]subagents[\\/].*)?\.jsonl$/, "");

const folderOf = (path: string): string => path.slice(0, path.length - baseName(path).length);

/** The project's folder. */
export const sessionFolder = (path: string): string => folderOf(sessionPath(path));

export function outputFiles(path: string, storedPath: string): readonly string[] {
  const name = baseName(storedPath);
  const own = sessionPath(path);
  // After a fork the path names the folder of the session that was copied.
  const session = storedPath.split(/[\\/]/).at(-3);
  const inSession = session === undefined ? [] : [`${folderOf(own)}${session}/tool-results/${name}`];
  return [storedPath, `${own}/tool-results/${name}`, ...inSession];
}
