// What is known of a chat of VS Code before its records are read: whose it is, and the folder of its workspace.
import type { SourceFile } from "#lib/kernel/draft.ts";
import { folderOf } from "../cursor/cursor-bubbles.ts";
import { areRecordsOf } from "../first-records.ts";
import { asArray, asObject, asText, isObject, type Json } from "../json.ts";
import { firstLine, headValue, parseJson } from "../json-parts.ts";

export type ChatState = {
  id: string | null;
  readonly isLog: boolean;
  /** The name of the file, which is the chat's too. */
  readonly fileId: string | null;
  readonly cwd: string | null;
};

export function startChat(file: SourceFile): ChatState {
  const before = file.before as Partial<ChatState> | undefined;
  const beside = file.sidecars.get(workspacePath(file.path)?.[0] ?? "");
  return {
    id: null,
    isLog: isChatLog(file.head),
    fileId: /[\\/](?:chatSessions|\w+ChatSessions)[\\/]([^\\/]+)\.jsonl?$/.exec(file.path)?.[1] ?? null,
    cwd: beside === undefined ? (before?.cwd ?? null) : workspaceFolder(beside),
  };
}

/** The file that names the project, in the folder above; null for a chat of a window without a folder. */
export function workspacePath(path: string): readonly [string] | null {
  const [, folder, separator] =
    /^(.*[\\/]workspaceStorage[\\/][^\\/]+)([\\/])chatSessions[\\/][^\\/]+$/.exec(path) ?? [];
  return folder === undefined ? null : [`${folder}${separator!}workspace.json`];
}

/** A folder, or the file of a workspace with several. */
function workspaceFolder(text: string): string | null {
  const value = asObject(parseJson(text));
  return pathOfUri(value["folder"] ?? value["workspace"] ?? value["configuration"]);
}

/** Also that of a folder on another machine, as that one has it. */
export const pathOfUri = (uri: unknown): string | null =>
  folderOf((asText(uri) ?? "").replace(/^vscode-remote:\/\/[^/]+(?=\/)/, "file://"));

/** A path of an address as VS Code writes one down, with its parts. */
export function pathOfParts(uri: unknown): string | null {
  const parts = asObject(uri);
  return asText(parts["fsPath"]) ?? asText(parts["path"]) ?? asText(parts["external"]) ?? pathOfUri(uri);
}

const isRequest = (value: unknown): boolean =>
  isObject(value) &&
  "message" in value &&
  ["requestId", "variableData", "response", "responseId", "modelState"].some((key) => key in value);

/** The whole object of a chat, as far as a head has it. */
const isChat = (value: unknown): boolean =>
  isObject(value) &&
  Array.isArray(value["requests"]) &&
  (typeof value["responderUsername"] === "string" ||
    (typeof value["sessionId"] === "string" && typeof value["creationDate"] === "number") ||
    asArray(value["requests"]).some(isRequest));

export const isChatFile = (head: Uint8Array): boolean => isChat(headValue(head));

/** Names of what the changes of a chat are about. */
const ABOUT: ReadonlySet<unknown> = new Set([
  ...["requests", "inputState", "customTitle", "hasPendingEdits", "pendingRequests", "repoData", "responderUsername"],
  ...["creationDate", "initialLocation", "sessionId", "workingDirectory", "version"],
]);
const CHANGES: ReadonlySet<unknown> = new Set([1, 2, 3]);

/** A line of the log: the object as it is, or a change of what a path leads to. */
const isStart = (value: Json): boolean => value["kind"] === 0 && isChat(value["v"]);
const isChange = (value: Json): boolean => CHANGES.has(value["kind"]) && ABOUT.has(asArray(value["k"])[0]);
export const isEntry = (value: unknown): value is Json =>
  isObject(value) && typeof value["kind"] === "number" && ("v" in value || "k" in value);

export function isChatLog(head: Uint8Array): boolean {
  const first = headValue(firstLine(head));
  if (isObject(first) && (isStart(first) || isChange(first))) return true;
  return areRecordsOf(head, isEntry, (one) => isStart(one) || isChange(one));
}
