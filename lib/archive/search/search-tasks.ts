// The searches that the server's thread for them knows by name.
import type { Archive } from "../base/archive-type.ts";
import type { SearchTask } from "../base/search-task.ts";
import { findArtifactsTask } from "./found-artifacts.ts";
import { findEventsTask } from "./found-events.ts";
import { findSessionsTask } from "./found-sessions.ts";
import { searchTask } from "./search-archive.ts";
import { showTextsTask, tryTextsTask } from "./text-tasks.ts";

const TASKS: readonly SearchTask<never, unknown>[] = [
  ...[searchTask, findSessionsTask, findEventsTask, findArtifactsTask],
  ...[tryTextsTask, showTextsTask],
];

/** Runs a search by its name. */
export async function runNamedSearch(
  archive: Archive,
  name: string,
  request: object,
  signal: AbortSignal,
): Promise<unknown> {
  const task = TASKS.find((one) => one.name === name);
  if (task === undefined) throw new Error(`No search is named ${name}.`);
  return task.run(archive, request as never, signal);
}
