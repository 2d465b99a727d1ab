// Messages of the model's history (`response_item/message`), and the prompt, which stands in both logs: in the history,
// and as the client's `user_message` right after it. Whichever comes first is the event that starts the turn; the other is
// hidden. Files without the client's log (older, or cut) so have their prompts too.
import type { Attachment, Draft } from "#lib/kernel/draft.ts";
import type { ImagePart } from "#lib/kernel/event.ts";
import { asArray, asObject, asText } from "../json.ts";
import type { Json } from "../json.ts";
import { unknownBody } from "../unknown-body.ts";
import { asName, markOf } from "./read.ts";
import { event, meta } from "./event-drafts.ts";
import type { Origin } from "./event-drafts.ts";
import { injectedAs, tagOf, titleOf } from "./injected.ts";
import { addImage, attachmentOf, contentOf, isUnknown } from "./tool-output.ts";
import { callKey, recordKey, remember, take } from "./codex-state.ts";
import type { CodexState } from "./codex-state.ts";

// 8: the two copies of a prompt are neighbours; more than a few waiting ones belong to a file with one log only.
const WAITING = 8;
// 32 keys of 52 characters: 1.7 KB of the 4 KB that the state may have.
export const INPUTS = 32;

/** Blocks of a message; older and hand-made files have a bare string. */
const blocksOf = (payload: Json): readonly unknown[] =>
  typeof payload["content"] === "string" ? [payload["content"]] : asArray(payload["content"]);

/** Identity of a message: its turn and its words, which a filtered copy keeps; one of another agent may have an id. */
export const messageKey = (type: string, payload: Json, state: CodexState): string | null =>
  type === "message"
    ? recordKey(state, "m", messageMark(payload))
    : recordKey(state, type, asName(payload["id"]) ?? messageMark(payload));

export const messageMark = (payload: Json): string =>
  markOf(
    blocksOf(payload)
      .map((block) => asText(block) ?? asText(asObject(block)["text"]) ?? "")
      .join("\n"),
  );

export function message(payload: Json, origin: Origin, state: CodexState): Draft[] {
  const role = asText(payload["role"]);
  const blocks = blocksOf(payload);
  if (role === "assistant") {
    const { text, images, attachments } = contentOf(blocks);
    if (text === "" && images.length === 0) return [];
    return [
      event(origin, { type: "assistant", text, ...withImages(images) }, { callKey: callKey(state), attachments }),
    ];
  }
  if (origin.key !== null) remember(state.inputs, origin.key, INPUTS);
  if (role === "user") return userMessage(blocks, origin, state);
  return blocks.flatMap((block) => {
    const { text } = contentOf([block]);
    if (text === "") return [];
    const isDeveloper = role === "developer" && { role: "developer" as const };
    return [event(origin, { type: "system", subtype: tagOf(text) ?? role ?? "message", text, ...isDeveloper })];
  });
}

function userMessage(blocks: readonly unknown[], origin: Origin, state: CodexState): Draft[] {
  const drafts: Draft[] = [];
  const prompt: unknown[] = [];
  for (const block of blocks) {
    const text = asText(block) ?? asText(asObject(block)["text"]);
    const injected = text === null ? null : injectedAs(text);
    if (injected === "summary" && take(state.summaries, markOf(text!))) drafts.push(meta(origin, "summary_copy"));
    else if (text !== null && injected !== null) drafts.push(event(origin, { type: "user", text, injected }));
    else if (isUnknown(block)) {
      const type = asText(asObject(block)["type"]) ?? "";
      drafts.push(event(origin, unknownBody("block", type, block, 4000)));
    }
    // The words around an attached image (`<image name=…>`, `</image>`) only say that it is there.
    else if (text === null || !/^<\/?image(?:>| name=[^\n]{0,300}>)$/.test(text.slice(0, 320).trim()))
      prompt.push(block);
  }
  const { text, images, attachments } = contentOf(prompt);
  if (text !== "" || images.length > 0) drafts.push(...historyPrompt(text, images, attachments, origin, state));
  return drafts;
}

function historyPrompt(
  text: string,
  images: ImagePart[],
  attachments: Attachment[],
  origin: Origin,
  state: CodexState,
): Draft[] {
  const mark = markOf(text);
  // The client's has the message's name: its own would be that of another record.
  if (take(state.fromClient, mark))
    return [meta({ ...origin, key: recordKey(state, "prompt_copy", mark) }, "prompt_copy")];
  remember(state.fromHistory, mark, WAITING);
  state.afterPrompt = true;
  return promptEvents(text, images, attachments, origin, state);
}

/** The client's copy of a prompt. */
export function clientPrompt(payload: Json, origin: Origin, state: CodexState, afterPrompt: boolean): Draft[] {
  const text = asText(payload["message"]) ?? "";
  const kind = asText(payload["kind"]);
  if ((kind !== null && kind !== "plain") || injectedAs(text) !== null) return [meta(origin, "user_message")];
  if (take(state.fromHistory, markOf(text))) return [meta(origin, "user_message")];
  // Right after the prompt it is the same one, though its words differ where images are attached.
  if (afterPrompt && state.fromHistory.length > 0) {
    state.fromHistory.pop();
    return [meta(origin, "user_message")];
  }
  const images: ImagePart[] = [];
  const attachments: Attachment[] = [];
  for (const address of asArray(payload["images"])) {
    const attachment = attachmentOf(asText(address) ?? "");
    if (attachment !== null) addImage(attachment, images, attachments);
  }
  if (text === "" && images.length === 0) return [meta(origin, "user_message")];
  remember(state.fromClient, markOf(text), WAITING);
  // The history's copy has the same name, where a file is cut between the two.
  return promptEvents(text, images, attachments, { ...origin, key: recordKey(state, "m", markOf(text)) }, state);
}

function promptEvents(
  text: string,
  images: ImagePart[],
  attachments: Attachment[],
  origin: Origin,
  state: CodexState,
): Draft[] {
  const drafts = [event(origin, { type: "user", text, ...withImages(images) }, { startsTurn: true, attachments })];
  drafts.push(...titled(text, 0, state));
  return drafts;
}

function titled(text: string, titleRank: 0 | 1, state: CodexState): Draft[] {
  const title = state.titleRank < titleRank ? titleOf(text) : null;
  if (title === null) return [];
  state.titleRank = titleRank;
  return [{ kind: "session", lane: "", patch: { title, titleRank } }];
}

export const withImages = (images: ImagePart[]): { images?: ImagePart[] } => (images.length > 0 ? { images } : {});

/** A message from another agent. One that starts a turn is the task of a sub-agent: its prompt. */
export function agentMessage(payload: Json, origin: Origin, state: CodexState): Draft[] {
  const content = payload["content"];
  const text = typeof content === "string" ? content : contentOf(asArray(content)).text;
  if (text === "") return [];
  if (payload["trigger_turn"] === true) {
    // The task of a sub-agent names it better than the first prompt of the history that it was given.
    const title = state.child ? titled(text, 1, state) : [];
    return [...title, ...promptEvents(text, [], [], origin, state)];
  }
  return [event(origin, { type: "user", text, injected: "inter_agent" })];
}
