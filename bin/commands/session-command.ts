import { closeTurn, createSession } from "#lib/archive/artifacts/create-session.ts";
import {
  heldCompaction,
  type CreateSessionRequest,
  type HeldCompaction,
  type HeldSession,
} from "#lib/wire/held-schema.ts";
import { issueWords } from "./issue-words.ts";
import { writing } from "./open-archive.ts";
import { plain, printJson } from "./print.ts";
import { numberOption, textOption, WrongWords, type Run, type Words } from "./args.ts";

export const run: Run = (words) => {
  const [action, name, turn] = words.args;
  if (action === "create") return create(words, name);
  if (action !== "close") throw new WrongWords(`plimsoll session takes create or close, not "${action}".`);
  if (name === undefined || turn === undefined || !/^\d{1,9}$/.test(turn))
    throw new WrongWords("plimsoll session close needs the session and the number of a turn.");
  return close(words, name, Number(turn));
};

async function create(words: Words, id: string | undefined): Promise<void> {
  const title = textOption(words, "title");
  const model = textOption(words, "model");
  const agentName = textOption(words, "agent");
  const policy = textOption(words, "policy");
  const contextWindow = numberOption(words, "window", 0);
  const made = await makeSession(words, {
    ...(id !== undefined && { id }),
    ...(title !== undefined && { title }),
    ...(model !== undefined && { model }),
    ...(agentName !== undefined && { agentName }),
    ...(policy !== undefined && { policy }),
    ...(contextWindow > 0 && { contextWindow }),
    ...compactionOf(words),
  });
  if (words.options["json"] === true) return printJson(made);
  console.log(made.id);
  console.error(`${made.created ? "Made" : "Found"} "${plain(made.title)}".`);
}

/** `--compaction`: the settings as JSON, by our names or those of other agents' configurations. */
function compactionOf(words: Words): { compaction?: HeldCompaction } {
  const text = textOption(words, "compaction");
  if (text === undefined) return {};
  const parsed = heldCompaction.safeParse(jsonOrText(text));
  if (parsed.success) return { compaction: parsed.data };
  const [issue] = parsed.error.issues;
  throw new WrongWords(issueWords(`--compaction ${issue!.path.join(".")}`.trim(), issue!));
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Makes a session that takes writes, or finds it. */
export const makeSession = (words: Words, request: CreateSessionRequest): Promise<HeldSession> =>
  writing<HeldSession>(words, "session-create", request, (archive) => createSession(archive, request));

async function close(words: Words, name: string, turn: number): Promise<void> {
  const body = { session: name, turn };
  const answer = await writing<{ turn: number; closed: boolean }>(words, "session-close", body, (archive) =>
    closeTurn(archive, name, turn),
  );
  if (words.options["json"] === true) return printJson(answer);
  console.log(`Closed turn ${answer.turn}. It accepts no more outputs.`);
}
