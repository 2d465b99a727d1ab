// Sessions of Kimi Code, and of kimi-cli before it: one log of each agent, whose records are its own events. docs/formats/kimi.md says
// what is read, and how.
import type { Draft, Format, SourceRecord } from "#lib/kernel/draft.ts";
import { homeFolder } from "./home-folder.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { draftsOfLine } from "./json-lines.ts";
import { aboutDrafts } from "./kimi/kimi-about.ts";
import { cliDrafts } from "./kimi/kimi-cli-records.ts";
import { codeDrafts } from "./kimi/kimi-code-records.ts";
import { besideKimi, isCliRecord, isCodeRecord, isKimi, startKimi, type KimiState } from "./kimi/kimi-state.ts";
import { unknownLine } from "./unknown-line.ts";
import { printOf } from "./placed-drafts.ts";

export const kimi: Format<KimiState> = {
  id: "kimi",
  label: "Kimi Code",
  signs: "a first line of metadata with protocol_version, or events of a turn, each with its time",
  // 2: events of sub-agents at any depth; logs of other programs are left to them.
  // 3: what a compaction keeps, and its summary as it is sent; a sub-agent's task is its prompt, and its parent's call names it;
  // folders that a log itself names; profiles, tasks and questions are notes, a turn that failed is an error.
  // 4: the agents of a swarm are below the call that began them.
  version: 4,
  reader: "lines",
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    const rootOf = (name: string, folder: string): string | undefined =>
      env[name] || (home && [home, folder].join(separator));
    const roots = [rootOf("KIMI_CODE_HOME", ".kimi-code"), rootOf("KIMI_SHARE_DIR", ".kimi")];
    return roots.flatMap((root) => (root ? [[root, "sessions"].join(separator)] : []));
  },
  // A sub-agent of kimi-cli has a folder of its own, and all its events stand in its parent's log.
  wants: (path) => /[\\/]wire\.jsonl$/.test(path) && !/[\\/]subagents[\\/]/.test(path),
  detect: ({ head }) => isKimi(head),
  sidecars: (path) => besideKimi(path),
  cleanup: "never",
  start: startKimi,
  parse,
  identify: ({ id }) => id,
};

const isRecord = (value: unknown): boolean => isCodeRecord(value) || isCliRecord(value);

function parse(record: SourceRecord, state: KimiState): Draft[] {
  if (record.oversized === true) return [];
  return [...aboutDrafts(state), ...draftsOfLine(record, isRecord, (value) => valueDrafts(value, state))];
}

function valueDrafts(value: unknown, state: KimiState): Draft[] {
  // No record has a name: it is known by all that it says, its time among it.
  const key = printOf(jsonText(value ?? null));
  if (isCliRecord(value)) return cliDrafts(value, key, state);
  return isCodeRecord(value) ? codeDrafts(value, key, state) : [unknownLine(value)];
}
