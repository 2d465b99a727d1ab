// What a tokenizer's count of a text weighs in a prompt, by class and family of models. Fitted by least absolute error on the
// growth that providers reported between two calls (docs/load.md, `npm run bench -- --only load`); `plimsoll calibrate`
// fits them again to a person's own sessions. The source of each row stands beside it.
import { dropsEarlierReasoning } from "./reasoning-rule.ts";
import { ITEM_CLASSES, type Family, type ItemClass } from "./ledger-types.ts";

/** tokens = perToken × counted + base, for each item of the class. */
export type Weighting = { readonly perToken: number; readonly base: number };

export type Constants = {
  readonly classes: Readonly<Record<ItemClass, Weighting>>;
  /** Tokens a character of a reasoning's signature takes in a later prompt; its readable summary adds nothing. */
  readonly perSignatureChar: number;
  /** Tokens a byte of readable reasoning takes where its signature was cut out of the file: signatures are 2.1 to 2.9 × as long. */
  readonly perReasoningByte: number;
  /** Tokens of an image whose size is not known. */
  readonly image: number;
  /** Nine of ten reconciliations of an item of the class moved it by less than this share. */
  readonly spread: Readonly<Record<ItemClass, number>>;
  /** True for a model whose provider takes the reasoning of earlier turns out when a turn starts. */
  readonly dropsReasoning: (model: string | null) => boolean;
  readonly source: string;
};

export type ConstantsTable = Readonly<Record<Family, Constants>>;

/** An item is never moved further than this from what its constants say: beyond it something else came in or went out. */
export const CLIP = 0.35;
/** A reconciliation that moved the estimates by less than this confirms them. */
export const TIGHT = 0.1;

const spread = (
  result: number,
  call: number,
  assistant: number,
  user: number,
  reasoning: number,
): Constants["spread"] => ({
  result,
  call,
  assistant,
  user,
  reasoning,
  note: user,
  listing: user,
  summary: user,
});

export const CONSTANTS: ConstantsTable = {
  "claude-4": {
    classes: {
      result: { perToken: 1.101, base: 26 },
      call: { perToken: 0.975, base: 51 },
      assistant: { perToken: 1.009, base: 23 },
      user: { perToken: 1.0, base: 10 },
      reasoning: { perToken: 1.0, base: 0 },
      note: { perToken: 1.1, base: 60 },
      listing: { perToken: 1.1, base: 0 },
      summary: { perToken: 1.0, base: 10 },
    },
    perSignatureChar: 0.182,
    perReasoningByte: 0.47,
    image: 1550,
    spread: spread(0.12, 0.2, 0.3, 0.3, 0.25),
    dropsReasoning: dropsEarlierReasoning,
    source: "998 transitions, 11 sessions, Opus 4.5, 4.6 and Sonnet 4.5; error on unseen sessions 7–8 %",
  },
  "claude-5": {
    classes: {
      result: { perToken: 1.363, base: 9 },
      call: { perToken: 1.2, base: 30 },
      assistant: { perToken: 1.38, base: 5 },
      user: { perToken: 1.45, base: 60 },
      reasoning: { perToken: 1.4, base: 0 },
      note: { perToken: 1.45, base: 130 },
      listing: { perToken: 1.4, base: 0 },
      summary: { perToken: 1.4, base: 10 },
    },
    perSignatureChar: 0.195,
    perReasoningByte: 0.54,
    image: 1550,
    spread: spread(0.12, 0.2, 0.3, 0.3, 0.25),
    dropsReasoning: dropsEarlierReasoning,
    source: "881 transitions, 6 sessions, Opus 5 and Fable 5; error on unseen sessions 5 %",
  },
  openai: {
    classes: {
      result: { perToken: 1.0, base: 10 },
      call: { perToken: 1.0, base: 15 },
      assistant: { perToken: 1.0, base: 10 },
      user: { perToken: 1.0, base: 5 },
      reasoning: { perToken: 1.0, base: 0 },
      note: { perToken: 1.0, base: 5 },
      listing: { perToken: 1.0, base: 5 },
      summary: { perToken: 1.0, base: 5 },
    },
    perSignatureChar: 0,
    perReasoningByte: 0.25,
    image: 1000,
    spread: spread(0.03, 0.1, 0.1, 0.1, 0.05),
    dropsReasoning: () => true,
    source: "693 transitions, 5 sessions, GPT-5.3 to 5.5 under Codex; error on unseen sessions 3 %",
  },
  other: {
    classes: {
      result: { perToken: 1.1, base: 20 },
      call: { perToken: 1.0, base: 30 },
      assistant: { perToken: 1.0, base: 10 },
      user: { perToken: 1.0, base: 10 },
      reasoning: { perToken: 1.0, base: 0 },
      note: { perToken: 1.0, base: 10 },
      listing: { perToken: 1.0, base: 0 },
      summary: { perToken: 1.0, base: 10 },
    },
    perSignatureChar: 0.19,
    perReasoningByte: 0.47,
    image: 1550,
    spread: spread(0.35, 0.35, 0.35, 0.35, 0.35),
    dropsReasoning: dropsEarlierReasoning,
    source: "not measured: means of the fitted families",
  },
};

const PLAIN: Constants = {
  ...CONSTANTS.openai,
  classes: Object.fromEntries(ITEM_CLASSES.map((name) => [name, { perToken: 1, base: 0 }])) as Constants["classes"],
  perSignatureChar: 0.195,
  dropsReasoning: () => false,
  source: "the prompt's size was counted with the same tokenizer",
};

/** For sessions whose prompts no provider reported, but a tokenizer counted: a text weighs what it counts. */
export const COUNTED: ConstantsTable = { "claude-4": PLAIN, "claude-5": PLAIN, openai: PLAIN, other: PLAIN };

/** Tokenizer generation of a model's name. Claude 5 and later count about a quarter more tokens for the same text. */
export function familyOf(model: string | null, format: string): Family {
  if (model === null) return format === "codex" ? "openai" : format === "claude-code" ? "claude-4" : "other";
  if (/claude/i.test(model)) {
    const generation = /claude-(?:opus|sonnet|haiku|fable|[a-z]+)-(\d+)/i.exec(model)?.[1];
    return generation !== undefined && Number(generation) >= 5 && Number(generation) < 1000 ? "claude-5" : "claude-4";
  }
  return /gpt|codex|^o\d/i.test(model) ? "openai" : "other";
}

/** That of each call; one that names no model has that of the call before. */
export function familiesOf(calls: readonly { readonly model: string | null }[], format: string): Family[] {
  let model: string | null = calls.find((call) => call.model !== null)?.model ?? null;
  return calls.map((call) => familyOf((model = call.model ?? model), format));
}
