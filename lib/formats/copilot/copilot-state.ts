// What the parser of Copilot's session files remembers between events. Nothing in it grows with the session.
import type { SourceFile, Usage } from "#lib/kernel/draft.ts";
import { asObject, asText, isObject, type Json } from "../json.ts";
import { cutFileName } from "../first-record-name.ts";
import { areRecordsOf, firstRecords, hasNone } from "../first-records.ts";
import { firstLineValue } from "../json-parts.ts";
import type { Oldest } from "./copilot-truncation.ts";

export type CopilotState = {
  id: string | null;
  model: string | null;
  hasTitle: boolean;
  named: boolean;
  /** Usage stands in records of its own, one for each call: versions of 2026 from July on. */
  countsCalls: boolean;
  /** While a compaction runs beside the conversation: the first line of it since, which stays. */
  compacting: { first: string | null; kept?: Oldest } | null;
  oldest?: Oldest;
  /** What the person said so far: a compaction repeats it before its summary. The latest, up to a limit. */
  prompts: string[];
  /** Sums of the runs that ended so far, and output of the answers since the last one. */
  runs?: {
    /** Of runs whose sums a later one did not go on from. */
    readonly before: ByModel;
    readonly last: ByModel;
  };
  said?: number;
  /** It was said that this file has no usage of its calls. */
  saidTotals: boolean;
  /** What the file beside it calls the session. */
  listed: Listed | null;
};

export type ByModel = Readonly<Record<string, Usage>>;
export type Listed = { readonly name: string; readonly isOwn: boolean };

export function startCopilot(file: SourceFile): CopilotState {
  return {
    id: startedId(file.head) ?? cutFileName(file),
    model: null,
    hasTitle: false,
    named: false,
    countsCalls: false,
    compacting: null,
    prompts: [],
    saidTotals: false,
    listed: listedIn(file) ?? (file.before as Partial<CopilotState> | undefined)?.listed ?? null,
  };
}

/** A state stays small: of what was said before a compaction the latest words are known. */
const PROMPT_CHARS = 1800;

export function rememberPrompt(state: CopilotState, text: string): void {
  state.prompts.push(text);
  while (state.prompts.length > 0 && state.prompts.join("").length > PROMPT_CHARS) state.prompts.shift();
}

/** The first event of a file, when it is one of Copilot's. */
export function startOf(head: Uint8Array): Json | null {
  const value = firstLineValue(head);
  return isStart(value) ? value : null;
}

/** True for a file that begins with Copilot's first event, or in the middle of a run with others of it. */
export const isCopilot = (head: Uint8Array): boolean =>
  startOf(head) !== null || areRecordsOf(head, isEvent, isOwnEvent);

/** The same of a run that was printed: it has events that no session's file keeps, and an end. */
export const isCopilotRun = (head: Uint8Array): boolean =>
  firstRecords(head).some(({ ephemeral }) => ephemeral === true) &&
  (startOf(head) !== null || areRecordsOf(head, (one) => isEvent(one) || isEnd(one), isOwnEvent));

const isEnd = ({ type, exitCode }: Json): boolean => type === "result" && typeof exitCode === "number";

const isEvent = (value: Json): boolean =>
  asText(value["type"]) !== null &&
  isObject(value["data"]) &&
  hasNone(value, ["payload", "uuid", "sessionId", "message"]);

const OWN = /^(?:session|user|assistant|system|tool|subagent|hook|model|skill)\.[a-zA-Z_.]+$|^abort$/;

const KNOWN =
  /^(?:session\.(?:start|resume|shutdown|usage_\w+|compaction_\w+)|user\.message|assistant\.(?:message|turn_\w+)|tool\.execution_\w+)$/;

/** Each event names the one before it. */
function isOwnEvent(value: Json): boolean {
  const type = asText(value["type"]) ?? "";
  const isLinked = OWN.test(type) && asText(value["id"]) !== null && "parentId" in value;
  return (isLinked || KNOWN.test(type)) && asText(value["timestamp"]) !== null;
}

export const isStart = (value: unknown): value is Json =>
  isObject(value) && value["type"] === "session.start" && isObject(value["data"]) && idOf(value) !== null;

const idOf = (start: Json | null): string | null => asText(asObject(start?.["data"])["sessionId"]);

export const startedId = (head: Uint8Array): string | null => idOf(startOf(head));

export const workspacePath = (path: string): string => path.replace(/events\.jsonl$/, "workspace.yaml");

/** The name of a session stands in a line of its own; how it is written beyond that is Copilot's. */
function listedIn({ path, sidecars }: SourceFile): Listed | null {
  const text = sidecars.get(workspacePath(path));
  const name = text === undefined ? null : yamlText(/^name: *(.+)$/m.exec(text)?.[1]?.trim() ?? "");
  return name === null ? null : { name, isOwn: /^user_named: *true\b/m.test(text!) };
}

/** A plain or quoted text of one line; blocks over several are left. */
function yamlText(value: string): string | null {
  if (value === "" || /^[|>&*!{[]/.test(value)) return null;
  if (value.startsWith('"'))
    try {
      return asText(JSON.parse(value));
    } catch {
      return null;
    }
  return value.startsWith("'") && value.endsWith("'") ? value.slice(1, -1).replaceAll("''", "'") : value;
}
