// The words of the pages, each in one plain sentence or two. docs/architecture.md has the same words for the code.
import type { Category, Origin } from "#lib/wire/common-schema.ts";

type GuideWord = { readonly word: string; readonly says: string };

/** In the order of the alphabet. */
export const GUIDE_WORDS: readonly GuideWord[] = [
  { word: "Archive", says: "The folder where Plimsoll stores sessions and artifacts on this machine." },
  { word: "Artifact", says: "A large tool output, stored whole. Its pointer starts with “art:”." },
  { word: "Blob", says: "The bytes of an artifact. Equal bytes are stored once, under their digest." },
  { word: "Cache read", says: "The part of a prompt that the provider had in its cache and charges less for." },
  { word: "Compaction", says: "A summary replaces the start of the context. The events stay in the log." },
  { word: "Context", says: "Everything the model is sent with a model call." },
  { word: "Culprit", says: "A cause of avoidable tokens, such as one large output that was re-sent many times." },
  { word: "Digest", says: "The SHA-256 of stored bytes. It shows whether they are unchanged." },
  { word: "Envelope", says: "The short text that the model sees in place of an offloaded output." },
  { word: "Episodic memory", says: "Summaries of turns that a compaction replaced." },
  { word: "Epoch", says: "The model calls between two compactions." },
  { word: "Event", says: "One entry of the log, such as a message, a tool call or its result." },
  {
    word: "Hidden prefix",
    says: "The start of the first prompt that the file does not hold: system prompt and tools.",
  },
  { word: "Inspector", says: "The panel beside the transcript. It shows one event in five ways." },
  { word: "Ledger", says: "The list of which event accounts for how many tokens of each prompt." },
  { word: "Lifetime", says: "The tokens of an item times the model calls that carried it." },
  { word: "Load", says: "The tokens of the context at one model call." },
  { word: "Load line", says: "The most tokens a prompt may have: the window without room for the answer." },
  { word: "Model call", says: "One request to the model and its answer." },
  { word: "Offload", says: "A large output is stored, and the model sees an envelope instead." },
  { word: "Peak", says: "The largest prompt of a session." },
  { word: "Pointer", says: "The name of an artifact. An agent reads the artifact back with it." },
  { word: "Rewind", says: "The conversation went on from an earlier prompt. What came after that left the context." },
  { word: "Semantic memory", says: "Facts that outlive a compaction, such as a decision or a path." },
  { word: "Session", says: "One run of one agent. A sub-agent has a session of its own." },
  { word: "Source", says: "A file or folder that Plimsoll reads and watches. It is never changed." },
  { word: "Sub-agent", says: "An agent that another agent started. Its session is listed below its parent." },
  { word: "Tombstone", says: "What is left of a deleted artifact: its name, its size and why it is gone." },
  { word: "Tool call", says: "A request of the model to run a tool. Its tool result is the answer." },
  { word: "Turn", says: "A user message and everything until the next user message." },
  { word: "Unattributed", says: "Tokens that the provider reported and no event in the file explains." },
  { word: "What-if", says: "The load curve as it would be with another offload policy." },
];

export const ORIGIN_WORDS: readonly { readonly origin: Origin; readonly says: string }[] = [
  { origin: "reported", says: "No mark: the provider reported it." },
  { origin: "counted", says: "A dot: a tokenizer of this model counted it." },
  { origin: "estimated", says: "A tilde: estimated from the size of the text." },
];

export const CATEGORY_WORDS: Readonly<Record<Category, string>> = {
  prefix: "System prompt and tool definitions.",
  memory: "Summaries and remembered facts.",
  unattributed: "Reported, but not explained by the log.",
  result: "What tools returned.",
  call: "What the model asked of tools.",
  reasoning: "The model's reasoning.",
  assistant: "The model's text.",
  user: "Messages of the user.",
};
