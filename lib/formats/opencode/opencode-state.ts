// What the parser of OpenCode's rows remembers between them. Nothing in it grows with the session.
import type { SourceFile, Usage } from "#lib/kernel/draft.ts";
import { asObject, asText, isObject, type Json } from "../json.ts";
import { originalId } from "./opencode-copies.ts";
import type { Copied } from "./opencode-forks.ts";
import { exportedSession } from "./opencode-export.ts";
import { firstLineValue } from "../json-parts.ts";

export type OpenCodeState = {
  id: string | null;
  agentName: string;
  model: string | null;
  hasTitle: boolean;
  /** A document that the agent exported. */
  isExported?: true;
  /** Written by Plimsoll: rows with a mark are copies. */
  isContinued?: boolean;
  /** In a fork of the agent's own: of which message the next one is a copy. */
  copied?: Copied | null;
  /** Its latest copies, with their originals. */
  copies?: (readonly [string, string])[];
  /** The message whose parts come now. */
  message: OpenMessage | null;
  /** Id of the first message that the compaction asked for last keeps whole, behind its summary. */
  keptFrom: string | null;
  /** Who asked for that compaction: `auto` or `manual`. */
  trigger?: string | null;
  /** What the agent's own figures come to so far, by model. */
  usd: number;
  usage: Record<string, Usage>;
};

export type OpenMessage = {
  readonly id: string;
  readonly role: string;
  readonly ts: number | null;
  readonly model: string | null;
  /** Its text is the summary of a compaction. */
  readonly isSummary: boolean;
  /** Of another session: its figures are that one's. */
  readonly isCopy?: boolean;
  /** What is left of its original's parts. */
  copied?: Copied;
  /** It ended with an error: its last step may have no end that counts it. */
  readonly hasFailed?: boolean;
  /** Calls that its steps told so far. */
  step: number;
  hasPrompt: boolean;
};

export function startOpenCode({ path, head }: SourceFile): OpenCodeState {
  const row = sessionRowOf(head);
  const exported = row === null ? exportedSession(head) : null;
  return {
    id: asText((row ?? exported)?.["id"]),
    ...(exported !== null && { isExported: true as const }),
    agentName: /(?:^|[\\/])kilo(?:-[\w.-]+)?\.db(?:#|$)/.test(path) ? "Kilo" : "OpenCode",
    model: null,
    hasTitle: false,
    message: null,
    keptFrom: null,
    usd: 0,
    usage: {},
  };
}

// 24: what stays behind a summary is a turn or two.
const RECENT = 24;

export function rememberCopy(state: OpenCodeState, id: string, original: string): void {
  state.copies = [...(state.copies ?? []), [id.slice(0, 60), original] as const].slice(-RECENT);
}

/** The name of a row in the session: that of the one before, where it is a copy. */
export const originalIn = ({ isContinued, copies }: OpenCodeState, id: string): string => {
  const copied = copies?.find(([copy]) => copy === id)?.[1];
  return copied ?? (isContinued === true ? originalId(id) : id);
};

const SESSIONS = ["session", "session_v2"];

/** The row of the session, which a source begins with. */
export function sessionRowOf(head: Uint8Array): Json | null {
  const value = firstLineValue(head);
  const row = isObject(value) && SESSIONS.includes(String(value["table"])) ? asObject(value["row"]) : {};
  return typeof row["id"] === "string" ? row : null;
}
