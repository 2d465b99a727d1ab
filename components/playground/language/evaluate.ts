// What the input is at the end of a program that is being typed: the program is walked from its start, and each part told
// by the shape of what it is given. Best effort: what it does not follow is unknown, never wrong on purpose.
import { argumentInput, resultOf } from "./effects.ts";
import { endField, newFrame, restart, resultOfFrame, type Frame, type Opened } from "./frame.ts";
import type { Token } from "./lexer.ts";
import { arrayOf, objectOf, SCALAR, union, type Shaped, type Views } from "./views.ts";

export type AtEnd = {
  /** What `.` is here. */
  readonly input: Views;
  /** The term that stands right before, on which a further step would work; undefined where a new one begins. */
  readonly term: Views | undefined;
  /** Between the braces of an object, where a key is to come. */
  readonly isKey: boolean;
  readonly variables: readonly string[];
  /** Functions that the program defines. */
  readonly functions: readonly string[];
};

const VALUE_SIGNS = new Set([",", "|", ":", ";"]);
const BRANCHES = new Set(["then", "elif", "else"]);
/** Words that part two terms, as signs do. */
const BETWEEN = new Set(["and", "or"]);

export class Evaluation {
  readonly #shape: Shaped;
  readonly #frames: Frame[] = [];
  readonly #variables = new Map<string, Views>();
  readonly #functions: string[] = [];
  #folded: string | null = null;

  constructor(shape: Shaped, input: Views) {
    this.#shape = shape;
    this.#open("program", input);
  }

  run(tokens: readonly Token[]): AtEnd {
    for (let i = 0; i < tokens.length; i++) i += this.#take(tokens, i);
    const frame = this.#top;
    return {
      input: frame.stage,
      term: frame.term,
      isKey: frame.opened === "object" && frame.expectsKey,
      variables: [...this.#variables.keys()],
      functions: this.#functions,
    };
  }

  get #top(): Frame {
    return this.#frames.at(-1)!;
  }

  #open(opened: Opened, input: Views, before?: Views, name = ""): void {
    this.#frames.push(newFrame(opened, input, before, name));
  }

  /** Takes a token; how many more it took. */
  #take(tokens: readonly Token[], at: number): number {
    const { kind, text } = tokens[at]!;
    const next = tokens[at + 1];
    const frame = this.#top;
    if (frame.opened === "object" && frame.expectsKey && this.#takeKey(tokens[at]!)) return 0;
    switch (kind) {
      case "field":
        frame.term = this.#shape.key(frame.term === undefined ? frame.stage : frame.term, text.slice(1));
        return 0;
      case "dot":
        if (next?.kind === "string") {
          frame.term = this.#shape.key(frame.term === undefined ? frame.stage : frame.term, next.text);
          return 1;
        }
        if (frame.term === undefined) frame.term = frame.stage;
        return 0;
      case "variable":
        if (frame.bound !== undefined) this.#variables.set(text, frame.bound);
        else frame.term = this.#variables.get(text) ?? null;
        return 0;
      case "string":
      case "number":
        frame.literal = tokens[at]!;
        frame.term = SCALAR;
        return 0;
      case "format":
        frame.term = SCALAR;
        return 0;
      case "open-string":
        frame.term = SCALAR;
        return 0;
      case "interpolate":
        this.#open("string", frame.stage);
        return 0;
      case "name":
        return this.#takeName(tokens, at);
      default:
        return this.#takeSign(text);
    }
  }

  /** Where the key of an object is to stand. True when the token was one. */
  #takeKey({ kind, text }: Token): boolean {
    const frame = this.#top;
    if (kind === "name" || kind === "string" || kind === "number") {
      frame.key = text;
      // `{name}` alone is what the input has by that name, until a colon says otherwise.
      frame.term = this.#shape.key(frame.stage, text);
      return true;
    }
    if (kind === "variable") {
      frame.key = text.slice(1);
      frame.term = this.#variables.get(text) ?? null;
      return true;
    }
    if (text !== ":") return false;
    frame.expectsKey = false;
    frame.term = undefined;
    return true;
  }

  #takeName(tokens: readonly Token[], at: number): number {
    const { text } = tokens[at]!;
    const next = tokens[at + 1];
    const frame = this.#top;
    if (text === "if") this.#open("if", frame.stage);
    else if (BRANCHES.has(text)) {
      if (frame.opened !== "if") return 0;
      if (text !== "then") frame.branches.push(resultOfFrame(frame));
      restart(frame);
    } else if (text === "end") {
      if (frame.opened === "if") this.#close(union([...frame.branches, frame.term ?? null]));
    } else if (text === "as") {
      frame.bound = frame.term ?? null;
      frame.term = undefined;
    } else if (text === "reduce" || text === "foreach") this.#folded = text;
    else if (text === "def") return this.#takeDefinition(tokens, at);
    else if (BETWEEN.has(text)) this.#nextTerm(frame);
    else if (text === "try" || text === "label" || text === "import" || text === "include") frame.term = undefined;
    else if (text === "catch") {
      frame.branches.push(frame.term ?? null);
      frame.term = undefined;
      // What is caught is a message.
      frame.stage = SCALAR;
    } else if (next?.text === "(" && next.kind === "sign") {
      this.#open("call", argumentInput(this.#shape, text, 1, 0, frame.stage), frame.stage, text);
      return 1;
    } else frame.term = resultOf(this.#shape, text, frame.stage, []);
    return 0;
  }

  /** `def name(a; $b):` begins a part whose input nobody knows but who calls it. */
  #takeDefinition(tokens: readonly Token[], at: number): number {
    const name = tokens[at + 1];
    if (name?.kind !== "name") return 0;
    this.#functions.push(name.text);
    let end = at + 2;
    while (end < tokens.length && tokens[end]!.text !== ":") {
      if (tokens[end]!.kind === "variable") this.#variables.set(tokens[end]!.text, null);
      end++;
    }
    this.#open("def", null);
    return end - at;
  }

  #takeSign(text: string): number {
    const frame = this.#top;
    switch (text) {
      case "(":
        if (this.#folded !== null && frame.bound !== undefined) {
          const name = this.#folded;
          this.#folded = null;
          frame.bound = undefined;
          this.#open("call", frame.stage, frame.stage, name);
        } else this.#open("group", frame.stage);
        return 0;
      case "[":
        if (frame.bound !== undefined) return 0;
        if (frame.term === undefined) this.#open("array", frame.stage);
        else this.#open("index", frame.stage, frame.term);
        return 0;
      case "{":
        if (frame.bound === undefined) this.#open("object", frame.stage);
        return 0;
      case ")":
      case "\\)":
      case "]":
      case "}":
        this.#end(text);
        return 0;
      case "|":
        if (frame.bound !== undefined) {
          frame.bound = undefined;
          frame.term = undefined;
          return 0;
        }
        frame.stage = resultOfFrame(frame);
        frame.term = undefined;
        frame.branches = [];
        return 0;
      case ",":
        if (frame.opened === "object") endField(frame);
        else this.#nextTerm(frame);
        return 0;
      case ";":
        if (frame.opened === "def") this.#close();
        else if (frame.opened === "call") {
          frame.results.push(resultOfFrame(frame));
          restart(frame);
          const index = frame.results.length;
          frame.input = argumentInput(this.#shape, frame.name, index + 1, index, frame.before ?? null);
          frame.stage = frame.input;
        }
        return 0;
      case ":":
        if (frame.opened === "index") frame.isSlice = true;
        frame.term = undefined;
        return 0;
      case "?":
        return 0;
      case "..":
        frame.term = this.#shape.everything(frame.stage);
        return 0;
      case "//":
      case "+":
      case "*":
      case "-":
        this.#nextTerm(frame);
        return 0;
      default:
        if (!VALUE_SIGNS.has(text)) this.#compare(frame);
        return 0;
    }
  }

  /** The other side of a sign that keeps what both sides are. */
  #nextTerm(frame: Frame): void {
    if (frame.term !== undefined) frame.branches.push(frame.term);
    frame.term = undefined;
  }

  #compare(frame: Frame): void {
    if (frame.term !== undefined) frame.branches.push(SCALAR);
    frame.term = undefined;
  }

  #end(sign: string): void {
    const frame = this.#top;
    const { opened } = frame;
    const fits =
      sign === ")"
        ? opened === "group" || opened === "call"
        : sign === "]"
          ? opened === "array" || opened === "index"
          : sign === "}"
            ? opened === "object"
            : opened === "string";
    // A bracket too many, or an `if` without its end: the rest is anyone's guess.
    if (!fits) return;
    if (opened === "group") this.#close(resultOfFrame(frame));
    else if (opened === "string") this.#close(SCALAR);
    else if (opened === "array") this.#close(arrayOf(resultOfFrame(frame)));
    else if (opened === "call")
      this.#close(resultOf(this.#shape, frame.name, frame.before ?? null, [...frame.results, resultOfFrame(frame)]));
    else if (opened === "object") {
      endField(frame);
      this.#close(objectOf(Object.fromEntries(frame.fields)));
    } else this.#close(this.#indexed(frame));
  }

  #indexed(frame: Frame): Views {
    const before = frame.before ?? null;
    if (frame.isSlice) return before;
    if (frame.term === undefined) return this.#shape.each(before);
    if (frame.literal?.kind === "string") return this.#shape.key(before, frame.literal.text);
    return frame.literal?.kind === "number" ? this.#shape.elements(before) : this.#shape.each(before);
  }

  #close(value?: Views): void {
    if (this.#frames.length === 1) return;
    this.#frames.pop();
    if (value === undefined) this.#top.term = undefined;
    else if (this.#top.opened === "object" && this.#top.expectsKey) this.#top.key = null;
    else this.#top.term = value;
  }
}
