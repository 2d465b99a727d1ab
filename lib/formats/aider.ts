// Chat histories of Aider: a file of Markdown in each project, in it all its chats one behind the other. docs/formats/aider.md says what is
// read, and how.
import type { Draft, Format, SourceRecord } from "#lib/kernel/draft.ts";
import { chatsIn, firstStart, blockText, type AiderChat } from "./aider/aider-blocks.ts";
import { chatDrafts } from "./aider/aider-chat.ts";
import { homeFolder } from "./home-folder.ts";
import { joined, patchOf, printOf } from "./placed-drafts.ts";

type AiderState = { readonly id: string | null; readonly cwd: string | null };

const NAME = ".aider.chat.history.md";

export const aider: Format<AiderState> = {
  id: "aider",
  label: "Aider",
  signs: "a first line that begins with # aider chat started at",
  version: 1,
  // An answer has many lines, and only what comes behind it says where it ends.
  reader: "document",
  recordNames,
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    // Each project has its own. That of the home folder is of chats without a project.
    const named = env["AIDER_CHAT_HISTORY_FILE"] ?? "";
    return [...(isAbsolute(named) ? [named] : []), ...(home ? [[home, NAME].join(separator)] : [])];
  },
  wants: (path) => /(?:^|[\\/])\.aider\.chat\.history\.md$/.test(path),
  detect: ({ head }) => firstStart(head) !== null,
  start: ({ path, head }) => ({ id: nameOf(firstStart(head)), cwd: folderOf(path) }),
  parse: (record, state) => joined(pieces(record, state)),
  pieces,
  identify: ({ id }) => id,
  isNamed: ({ id }) => id !== null,
};

const isAbsolute = (path: string): boolean => /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path);

/** Its own name stands in the project's folder; what was uploaded stands in ours. */
const folderOf = (path: string): string | null =>
  /[\\/]uploads[\\/][0-9a-f]{8}[\\/][^\\/]+$/.test(path)
    ? null
    : (/^(.+)[\\/]\.aider\.chat\.history\.md$/.exec(path)?.[1] ?? null);

const nameOf = (start: string | null): string | null => start?.replace(" ", "T").replaceAll(":", "-") ?? null;

/** Many chats are begun and left: what Aider prints then is no session. */
const isSaid = ({ blocks }: AiderChat): boolean => blocks.some(({ kind }) => kind !== "printed");

function* pieces(record: SourceRecord, { cwd }: AiderState): Generator<readonly Draft[]> {
  if (record.oversized === true) return;
  // The whole is one record: what stands between its blocks is theirs.
  yield [patchOf("", {})];
  for (const [lane, chat] of lanesOf(chatsIn(record.bytes)))
    yield chatDrafts(chat, { lane, cwd, base: record.byteStart });
}

/** The first chat is the file's own session, and each other one a session by its start. */
function lanesOf(chats: readonly AiderChat[]): [string, AiderChat][] {
  const said = chats.filter(isSaid);
  const seen = new Map<string, number>();
  return (said.length === 0 ? chats.slice(0, 1) : said).map((chat, i) => {
    const name = nameOf(chat.start) ?? "";
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return [i === 0 ? "" : count === 1 ? name : `${name}.${count}`, chat];
  });
}

/** What was typed and answered, by what it says, and how often before. Aider only writes behind what is there. */
function recordNames(bytes: Uint8Array): string[] {
  const seen = new Map<string, number>();
  return chatsIn(bytes).flatMap(({ start, blocks }) =>
    blocks
      .filter(({ kind }) => kind !== "printed")
      .map((block) => {
        const name = `${start} ${block.kind} ${printOf(blockText(block))}`;
        const count = (seen.get(name) ?? 0) + 1;
        seen.set(name, count);
        return `${name}.${count}`;
      }),
  );
}
