// A part of a program that is open: between brackets, in a call, in an `if`.
import type { Token } from "./lexer.ts";
import { union, type Views } from "./views.ts";

export type Opened = "program" | "group" | "call" | "array" | "object" | "index" | "if" | "def" | "string";

export type Frame = {
  readonly opened: Opened;
  /** What the part in brackets is given, … */
  input: Views;
  /** … what this stage of its pipe is given, … */
  stage: Views;
  /** … the term that is being read, … */
  term: Views | undefined;
  /** … and what other branches and alternatives gave. */
  branches: Views[];
  /** The term before `[`, what `(` is called on. */
  readonly before: Views | undefined;
  readonly name: string;
  readonly results: Views[];
  fields: Map<string, Views>;
  key: string | null;
  expectsKey: boolean;
  /** `as` was read: what it names, and names until the next `|`. */
  bound: Views | undefined;
  /** A plain string or number between the brackets of an index. */
  literal: Token | null;
  isSlice: boolean;
};

export function newFrame(opened: Opened, input: Views, before: Views | undefined, name: string): Frame {
  return {
    opened,
    input,
    stage: input,
    term: undefined,
    branches: [],
    before,
    name,
    results: [],
    fields: new Map(),
    key: null,
    expectsKey: opened === "object",
    bound: undefined,
    literal: null,
    isSlice: false,
  };
}

/** All that a part gives: its branches, and the term that is being read. */
export function resultOfFrame(frame: Frame): Views {
  const parts = frame.term === undefined ? frame.branches : [...frame.branches, frame.term];
  return parts.length === 0 ? null : union(parts);
}

/** Begins its input anew: another branch of an `if`, another argument. */
export function restart(frame: Frame): void {
  frame.stage = frame.input;
  frame.term = undefined;
  if (frame.opened !== "if") frame.branches = [];
}

/** The value of a key ends; another key may come. */
export function endField(frame: Frame): void {
  if (frame.key !== null) frame.fields.set(frame.key, resultOfFrame(frame));
  frame.key = null;
  frame.expectsKey = true;
  frame.stage = frame.input;
  frame.branches = [];
  frame.term = undefined;
}
