// One line for the status line of an agent. Claude Code gives its own figures on standard input: they are newer than any file.
// The rest comes from the running server, or from the archive as the last import left it.
import { getFromServer } from "#lib/http/server-address.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import type { SessionStatus } from "#lib/wire/status-schema.ts";
import { textOption, type Run, type Words } from "./args.ts";
import { agentStatus, withAgent } from "./agent-status.ts";
import { archiveDir } from "./archive-dir.ts";
import { printJson } from "./print.ts";
import { statusText } from "./status-text.ts";

/** A server that is busy with something else is not waited for: the archive answers then. */
const SERVER_MS = 400;

export const run: Run = async (words) => {
  const agent = await agentStatus();
  const status = withAgent(await knownStatus(words, words.args[0] ?? agent?.sessionId), agent);
  if (words.options["json"] === true) {
    printJson(status);
    return;
  }
  const hasColour = words.options["no-color"] !== true && (process.env["NO_COLOR"] ?? "") === "";
  const format = textOption(words, "format");
  const line = status === null ? "" : statusText(status, { now: Date.now(), hasColour, format });
  console.log(line === "" && format === undefined ? "Plimsoll: no session yet" : line);
};

/** What Plimsoll knows of the session; null where it knows none. */
async function knownStatus(words: Words, name: string | undefined): Promise<SessionStatus | null> {
  const dir = archiveDir(words);
  const query = name === undefined ? "" : `?session=${encodeURIComponent(name)}`;
  const found = await getFromServer(dir, `/api/status${query}`, SERVER_MS);
  if (found !== null && found.status === 200) return found.answer as SessionStatus;
  if (found !== null && found.status === 404) return null;
  // SQLite takes 10 ms to load.
  const { statusOfFolder } = await import("#lib/archive/load/session-status.ts");
  try {
    return statusOfFolder(dir, name, Date.now());
  } catch (error) {
    // No archive yet, or none of this session: the agent's own figures remain.
    if (isAppError(error) && error.code === "not_found") return null;
    throw error;
  }
}
