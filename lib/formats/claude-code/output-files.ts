// Where Claude Code puts outputs that are too long for the context: a folder beside the session's file.
import { baseName } from "./claude-state.ts";

export function outputFiles(path: string, storedPath: string): readonly string[] {
  const name = baseName(storedPath);
  const folder = path.slice(0, path.length - baseName(path).length);
  // A sub-agent's outputs lie with those of its session.
  const own = path.replace(/([\\/]subagents[\\/][^\\/]*)?\.jsonl$/, "");
  // After a fork the path names the folder of the session that was copied.
  const session = storedPath.split(/[\\/]/).at(-3);
  const inSession = session === undefined ? [] : [`${folder}${session}/tool-results/${name}`];
  return [storedPath, `${own}/tool-results/${name}`, ...inSession];
}
