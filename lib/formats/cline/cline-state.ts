// What the parser of Cline's conversations knows: whose they are, and what lay beside them.
import type { SourceFile } from "#lib/kernel/draft.ts";
import { asText, isObject, type Json } from "../json.ts";
import { NOTHING, readBeside, type Beside } from "./cline-beside.ts";

export type ClineState = {
  id: string | null;
  /** The session that the id of a child begins with. */
  readonly root: string | null;
  readonly isCommandLine: boolean;
  readonly agentName: string;
  readonly beside: Beside;
};

export function startCline(file: SourceFile): ClineState {
  const { path, head } = file;
  const beside = readBeside(file) ?? NOTHING;
  const child = childOf(path, head);
  return {
    id: child?.id ?? idOfPath(path),
    root: child?.root ?? null,
    isCommandLine: isMessagesFile(head),
    agentName: agentOf(path, head),
    beside,
  };
}

function agentOf(path: string, head: Uint8Array): string {
  if (/kilocode/i.test(path)) return "Kilo Code";
  if (/zoo-code/i.test(path)) return "Zoo Code";
  if (/roo-cline|rooveterinaryinc|\.vscode-mock|\.roo[\\/]/i.test(path)) return "Roo Code";
  return !isMessagesFile(head) && /You are Roo\b|"isSummary"|"condenseParent"/.test(textOf(head))
    ? "Roo Code"
    : "Cline";
}

/** A task's folder, or the name before `.messages.json`; null for a file that was taken out of its folder. */
function idOfPath(path: string): string | null {
  return (
    /(?:^|[\\/])([^\\/]+)\.messages\.json$/.exec(path)?.[1] ??
    /[\\/]tasks[\\/]([^\\/]+)[\\/][^\\/]+$/.exec(path)?.[1] ??
    null
  );
}

/**
 * A child of the command line has an id of its own: the session that it belongs to, and the name of its file, which other sessions'
 * children may have too. Null for any other file.
 */
function childOf(path: string, head: Uint8Array): { readonly id: string; readonly root: string } | null {
  const name = /(?:^|[\\/])([^\\/]+)\.messages\.json$/.exec(path)?.[1] ?? "";
  const id = /"sessionId"\s*:\s*"([^"\\]+)"/.exec(textOf(head))?.[1] ?? "";
  const end = [`__teamtask__${name}`, `__${name}`].find((one) => id.endsWith(one) && id !== one);
  return name === "" || end === undefined ? null : { id, root: id.slice(0, -end.length) };
}

const textOf = (head: Uint8Array): string => new TextDecoder().decode(head);

/** The command line's file: one object with the messages of a session, and who wrote them; without that, what each answer cost. */
export function isMessagesFile(head: Uint8Array): boolean {
  const text = textOf(head);
  if (!/^\s*\{/.test(text)) return false;
  const isSigned =
    /"updated_at"\s*:\s*"/.test(text) &&
    /"agent"\s*:\s*"(?:lead|subagent|teammate)"/.test(text) &&
    /"sessionId"\s*:\s*"/.test(text);
  return (
    isSigned ||
    (/"messages"\s*:\s*\[/.test(text) &&
      /"role"\s*:\s*"assistant"/.test(text) &&
      /"metrics"\s*:\s*\{\s*"inputTokens"/.test(text))
  );
}

/** The editor's file: a list of messages, in an object in Roo's second version. The first are Cline's, by a time or by the frame of its prompts. */
export function isHistoryFile(head: Uint8Array): boolean {
  const text = textOf(head);
  if (
    !/^\s*(?:\{\s*"version"\s*:\s*2\s*,\s*"messages"\s*:\s*)?\[\s*\{/.test(text) ||
    !/"role"\s*:\s*"(?:user|assistant)"/.test(text)
  )
    return false;
  return /<environment_details>|<\/?task>|<\/?user_message>/.test(text) || /"ts"\s*:\s*1[0-9]{12}\b/.test(text);
}

/** The name of a message in later versions of its file. */
export function nameOf(message: Json, index: number): string {
  const id = asText(message["id"]);
  if (id !== null && id !== "") return id;
  const { ts, role, roleBefore } = message;
  return typeof ts === "number" ? `${ts}.${String(roleBefore ?? role)}` : `#${index}`;
}

export const isMessage = (value: unknown): value is Json => isObject(value) && asText(value["role"]) !== null;
