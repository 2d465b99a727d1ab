// What the parser of Vibe's messages remembers between lines, and what `meta.json` beside them says of the session.
import type { SourceFile, Usage } from "#lib/kernel/draft.ts";
import { cutFileName } from "../first-record-name.ts";
import { areMessagesOf, hasNone } from "../first-records.ts";
import { asArray, asCost, asObject, asText, asTime, isObject, type Json } from "../json.ts";
import { parseJson } from "../json-parts.ts";
import { newConversation, type Conversation } from "../messages/conversation-drafts.ts";
import { splitPrompt } from "../prompt-counts.ts";

export type VibeState = {
  id: string | null;
  about: VibeAbout | null;
  /** Until it is told, which is before the first message. */
  prompt: string | null;
  hasPrompt: boolean;
  /** What was told about the session last, and its sums. */
  named: string;
  told: string;
  /** How many sub-agents were linked to their calls. */
  linked: number;
  readonly conversation: Conversation;
};

export type VibeAbout = {
  readonly id: string | null;
  readonly parent: string | null;
  /** Its folder lies below that of the session that began it. */
  readonly isSubagent: boolean;
  readonly agent: string | null;
  readonly title: string | null;
  readonly hasOwnTitle: boolean;
  readonly cwd: string | null;
  readonly branch: string | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly model: string | null;
  readonly usage: Usage | null;
  readonly usd: number | null;
  /** Tool call and session of the sub-agents that are not linked yet. */
  readonly children: readonly (readonly [string, string])[];
};

/** What Vibe writes of a message; it leaves out what is empty. */
const KEYS: ReadonlySet<string> = new Set([
  ...["role", "content", "message_id", "injected", "name", "tool_calls", "tool_call_id", "tool_result"],
  ...["reasoning_content", "reasoning_state", "reasoning_signature", "reasoning_payloads", "reasoning_message_id"],
  ...["images", "resources", "user_display_content", "input_text", "manual_shell", "context_boundary"],
]);

const FOREIGN = ["type", "uuid", "sessionId", "session_id", "timestamp", "message", "parts", "payload", "data"];
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const isVibeMessage = (value: Json): boolean => asText(value["role"]) !== null && hasNone(value, FOREIGN);

/** Other programs number their messages too: by that alone a message is Vibe's only where it has no key of another's. */
const isOwnMessage = (value: Json): boolean =>
  isVibeMessage(value) &&
  (typeof value["injected"] === "boolean" ||
    (UUID.test(asText(value["message_id"]) ?? "") && Object.keys(value).every((key) => KEYS.has(key))));

export const isVibeHead = (head: Uint8Array): boolean => areMessagesOf(head, isVibeMessage, isOwnMessage);

export const metaPath = (path: string): string => path.replace(/messages\.jsonl$/, "meta.json");

const FOLDER = /([^\\/]+_\d{8}_\d{6}_[^\\/]+)[\\/]messages\.jsonl$/;

export function startVibe(file: SourceFile): VibeState {
  const before = file.before as Partial<VibeState> | undefined;
  const meta = metaIn(file);
  const about = meta === null ? (before?.about ?? null) : aboutOf(meta, file.path, 0);
  return {
    id: about?.id ?? FOLDER.exec(file.path)?.[1] ?? cutFileName(file),
    about,
    prompt: promptOf(meta),
    ...{ hasPrompt: false, named: "", told: "", linked: 0 },
    conversation: newConversation(""),
  };
}

/** `meta.json` is written behind the messages, and grows with them: the first reading may come before it. */
export function resumeVibe(stored: VibeState, file: SourceFile): VibeState {
  const meta = metaIn(file);
  if (meta === null) return stored;
  const about = aboutOf(meta, file.path, stored.linked);
  return { ...stored, about, id: about.id ?? stored.id, prompt: stored.hasPrompt ? null : promptOf(meta) };
}

function metaIn({ path, sidecars }: SourceFile): Json | null {
  const meta = parseJson(sidecars.get(metaPath(path)) ?? "");
  return isObject(meta) ? meta : null;
}

const promptOf = (meta: Json | null): string | null => asText(asObject(meta?.["system_prompt"])["content"]) || null;

function aboutOf(meta: Json, path: string, linked: number): VibeAbout {
  const stats = asObject(meta["stats"]);
  const children = asArray(meta["child_sessions"]).map(asObject);
  return {
    id: asText(meta["session_id"]) || null,
    parent: asText(meta["parent_session_id"]) || null,
    isSubagent: /[\\/]agents[\\/][^\\/]+[\\/]messages\.jsonl$/.test(path),
    agent: asText(asObject(meta["agent_profile"])["name"]) || null,
    title: asText(meta["title"])?.trim() || null,
    hasOwnTitle: meta["title_source"] === "manual",
    cwd: asText(asObject(meta["environment"])["working_directory"]) || null,
    branch: asText(meta["git_branch"]) || null,
    startedAt: asTime(meta["start_time"]),
    endedAt: asTime(meta["end_time"]),
    model: modelOf(asObject(meta["config"])),
    usage: splitPrompt({
      prompt: stats["session_prompt_tokens"],
      output: stats["session_completion_tokens"],
      cached: stats["session_cached_tokens"],
    }),
    usd: asCost(stats["session_cost"]) || null,
    children: children
      .flatMap(({ tool_call_id: call, session_id: id }) =>
        typeof call === "string" && typeof id === "string" ? [[call, id] as const] : [],
      )
      .slice(linked),
  };
}

/** A model has a name of the person's own, under which the settings have that of its provider. */
function modelOf(config: Json): string | null {
  const alias = asText(config["active_model"]) || null;
  const found = asArray(config["models"])
    .map(asObject)
    .find((model) => model["alias"] === alias);
  return asText(found?.["name"]) || alias;
}
