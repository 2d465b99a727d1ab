// What the parser of Gemini CLI's chats remembers between records.
import type { SourceFile } from "#lib/kernel/draft.ts";
import { asText, isObject, type Json } from "../json.ts";
import { printOf } from "../placed-drafts.ts";

export type GeminiState = {
  id: string | null;
  parent: string | null;
  readonly isDocument: boolean;
  readonly agentName: string;
  readonly cwd: string | null;
  named: boolean;
  hasTitle: boolean;
  model: string | null;
  /** The last messages, in order: by the beginning of their ids. */
  known: readonly string[];
  /** The client's own first message, which it writes anew when a session is resumed. */
  context: string | null;
  /** Time of the last one. */
  lastTs: number;
  /** Of the last messages, what was read of each: characters of its text, thoughts, calls. */
  open: readonly Open[];
  /** The last calls whose results were read. */
  answered: readonly string[];
  masked: readonly string[];
};

export type Open = {
  readonly id: string;
  readonly text: number;
  readonly thoughts: number;
  readonly calls: readonly string[];
};

export function startGemini(file: SourceFile): GeminiState {
  const before = file.before as Partial<GeminiState> | undefined;
  const root = file.sidecars.get(projectRootPath(file.path))?.trim() ?? "";
  return {
    id: null,
    parent: /[\\/]chats[\\/]([^\\/]+)[\\/][^\\/]+$/.exec(file.path)?.[1] ?? null,
    isDocument: isChatDocument(file.head),
    agentName: /[\\/]\.qwen[\\/]/.test(file.path) ? "Qwen Code" : "Gemini CLI",
    cwd: root === "" ? (before?.cwd ?? null) : root,
    named: false,
    hasTitle: false,
    model: null,
    known: [],
    context: null,
    lastTs: 0,
    open: [],
    answered: [],
    masked: [],
  };
}

/** In the project's folder of temporary files stands where the project is. */
export const projectRootPath = (path: string): string => {
  const chats = path.search(/[\\/]chats[\\/](?:[^\\/]+[\\/])?[^\\/]+$/);
  const separator = path.includes("\\") ? "\\" : "/";
  return `${chats < 0 ? path : path.slice(0, chats)}${separator}.project_root`;
};

/** A record's name, here and in copies of its file. Random ids are known by their first half; others say something in their chat alone. */
export const nameOf = (id: string, { id: session }: GeminiState): string =>
  isRandom(id) ? id.slice(0, 18) : `${shortName(session ?? "", 8)}.${shortName(id, 18)}`;

const isRandom = (id: string): boolean => /^[0-9a-f]{8}-[0-9a-f]{4}-/i.test(id);

/** What is not random may begin as others do: a hash of the whole tells them apart, and a state of 120 names stays small. */
const shortName = (id: string, chars: number): string =>
  isRandom(id) || id.length <= chars ? id.slice(0, chars) : printOf(id);

/** True when one of the first lines is a record of such a chat. */
export function isChatLine(head: Uint8Array): boolean {
  const lines = new TextDecoder().decode(head).split("\n").slice(0, 8);
  return lines.some((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return isObject(value) && (isHeader(value) || isObject(value["$set"]) || isAnswer(value));
    } catch {
      return /^\{"\$set":\{/.test(line) || /^\{"sessionId":"[^"]*","projectHash":"/.test(line);
    }
  });
}

export const isHeader = (value: Json): boolean =>
  asText(value["sessionId"]) !== null && asText(value["projectHash"]) !== null;

const isAnswer = (value: Json): boolean =>
  asText(value["id"]) !== null && value["type"] === "gemini" && "content" in value && "timestamp" in value;

/** A document begins with an object that is longer than a line, and has what a chat has. */
export function isChatDocument(head: Uint8Array): boolean {
  const text = new TextDecoder().decode(head);
  const line = text.slice(0, text.indexOf("\n") < 0 ? text.length : text.indexOf("\n"));
  if (!/^\s*\{/.test(text) || isWhole(line)) return false;
  if (/^\{"\$/.test(line) || !/"messages"\s*:\s*\[/.test(text)) return false;
  // Other agents' documents have a start time too.
  const hasTimes = /"startTime"\s*:\s*"/.test(text) && /"lastUpdated"\s*:\s*"/.test(text);
  return /"projectHash"\s*:\s*"/.test(text) || hasTimes || /"type"\s*:\s*"(?:gemini|qwen)"/.test(text);
}

function isWhole(line: string): boolean {
  try {
    return isObject(JSON.parse(line));
  } catch {
    return false;
  }
}
