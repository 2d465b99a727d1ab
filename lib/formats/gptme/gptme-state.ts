// What the parser of gptme's messages remembers between lines, and what `config.toml` beside them says of the conversation.
import type { SourceFile } from "#lib/kernel/draft.ts";
import { cutFileName } from "../first-record-name.ts";
import { areMessagesOf, hasNone } from "../first-records.ts";
import { asObject, asText, asTime, isObject, type Json } from "../json.ts";
import { parseJson } from "../json-parts.ts";
import { noPairing, type Pairing } from "../messages/call-pairing.ts";
import type { Sums } from "../reported-sums.ts";

type GptmeAbout = { readonly title: string | null; readonly model: string | null; readonly cwd: string | null };

export type GptmeState = {
  readonly id: string;
  readonly about: GptmeAbout;
  /** What was told of the conversation last. */
  named: string;
  /** Something was said: system messages behind it are no part of the prompt. */
  isBegun: boolean;
  hasTitle: boolean;
  model: string | null;
  readonly pairing: Pairing;
  readonly sums: Sums;
};

const ROLES: readonly unknown[] = ["system", "user", "assistant"];
/** By these other programs name their messages, or wrap them. */
const FOREIGN = ["type", "id", "uuid", "sessionId", "session_id", "message", "parts", "payload", "data"];

export const hasGptmeRole = (value: Json): boolean => ROLES.includes(value["role"]);

/** Other programs write a role, a text and a time as well. */
const isGptmeMessage = (value: Json): boolean =>
  hasGptmeRole(value) &&
  asText(value["content"]) !== null &&
  asTime(value["timestamp"]) !== null &&
  hasNone(value, FOREIGN);

const isOwnMessage = (value: Json): boolean =>
  isGptmeMessage(value) &&
  ((value["role"] === "system" && (value["pinned"] === true || value["hide"] === true)) ||
    isObject(value["file_hashes"]) ||
    Object.keys(gptmeCounts(asObject(value["metadata"]))).some((key) => COUNTS.has(key)));

const COUNTS: ReadonlySet<string> = new Set(["cache_read_tokens", "cache_creation_tokens"]);

/** Early releases have the counts beside the model. */
export const gptmeCounts = (metadata: Json): Json => (isObject(metadata["usage"]) ? metadata["usage"] : metadata);

export const isGptmeHead = (head: Uint8Array): boolean => areMessagesOf(head, isGptmeMessage, isOwnMessage);

export const configPath = (path: string): string => path.replace(/conversation\.jsonl$/, "config.toml");

export const startGptme = (file: SourceFile): GptmeState => ({
  // The folder has the conversation's name.
  id: /([^\\/]+)[\\/]conversation\.jsonl$/.exec(file.path)?.[1] ?? cutFileName(file),
  about: aboutIn(file) ??
    (file.before as Partial<GptmeState> | undefined)?.about ?? { title: null, model: null, cwd: null },
  ...{ named: "", isBegun: false, hasTitle: false, model: null },
  pairing: noPairing(),
  sums: { usd: 0, usage: {} },
});

/** A conversation is named, and changes its model, as it goes on. */
export const resumeGptme = (stored: GptmeState, file: SourceFile): GptmeState => ({
  ...stored,
  about: aboutIn(file) ?? stored.about,
});

function aboutIn({ path, sidecars }: SourceFile): GptmeAbout | null {
  const chat = (sidecars.get(configPath(path)) ?? "").split(/^\[/m).find((section) => section.startsWith("chat]"));
  if (chat === undefined) return null;
  const of = (key: string): string | null => {
    const line = chat.split("\n").find((one) => one.startsWith(`${key} = `));
    return asText(parseJson(line?.slice(key.length + 3).trim() ?? "")) || null;
  };
  return { title: of("name"), model: of("model"), cwd: folderOf(of("workspace"), path) };
}

/** Below the person's home it is written with a tilde. */
function folderOf(workspace: string | null, path: string): string | null {
  const home = /^(.+)[\\/]\.local[\\/]share[\\/]gptme[\\/]/.exec(path)?.[1];
  return workspace !== null && home !== undefined ? workspace.replace(/^~(?=\/|$)/, () => home) : workspace;
}
