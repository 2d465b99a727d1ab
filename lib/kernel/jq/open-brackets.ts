// What is open at the end of a program that is being typed, so that a probe can close it: brackets, calls, `if`, `def`,
// `reduce`. It follows the words alone; what they mean is for jq to say.
import { JQ_FUNCTIONS } from "./functions.ts";
import type { Token } from "./lexer.ts";

export type Frame = {
  readonly opener: "program" | "(" | "[" | "{" | "\\(" | "if" | "def";
  /** Of a call, a definition, `reduce` or `foreach`. */
  readonly name: string;
  /** Where the term that is being read begins; null where a new one is to come. */
  term: number | null;
  /** `;` so far in a call. In a definition: its parameters. */
  args: number;
  /** Between the braces of an object, before the colon. */
  isKey: boolean;
  /** Behind a `then` or an `else`. */
  isBranch: boolean;
  /** `reduce` or `foreach`, as long as its brackets are not open. */
  fold: { readonly name: string; readonly start: number } | null;
  /** Brackets of a pattern behind `as`; null elsewhere. */
  pattern: number | null;
};

const newFrame = (opener: Frame["opener"], name = "", args = 0): Frame => ({
  opener,
  name,
  term: null,
  args,
  isKey: opener === "{",
  isBranch: false,
  fold: null,
  pattern: null,
});

const CLOSES: Readonly<Record<string, Frame["opener"]>> = { ")": "(", "]": "[", "}": "{", "\\)": "\\(" };
/** Words between two terms. */
const BETWEEN = new Set(["and", "or", "try", "catch"]);

export class OpenBrackets {
  readonly frames: Frame[] = [newFrame("program")];
  readonly variables = new Set<string>();
  /** Definitions of the program, with how many parameters each has. */
  readonly functions = new Map<string, number>();

  get top(): Frame {
    return this.frames.at(-1)!;
  }

  /** Takes tokens from `from` on, while `goesOn`; the index of the first that it did not take. */
  take(tokens: readonly Token[], from = 0, goesOn: () => boolean = () => true): number {
    let at = from;
    while (at < tokens.length && goesOn()) at += 1 + this.#takeOne(tokens, at);
    return at;
  }

  /** How many more tokens it took. */
  #takeOne(tokens: readonly Token[], at: number): number {
    const { kind, text, start } = tokens[at]!;
    const { top } = this;
    if (kind === "name") return this.#word(tokens, at);
    if (kind === "sign") this.#sign(text, start);
    else if (kind === "interpolate") this.frames.push(newFrame("\\("));
    else if (kind === "variable" && top.pattern !== null) this.variables.add(text);
    else top.term ??= start;
    return 0;
  }

  #word(tokens: readonly Token[], at: number): number {
    const { text, start } = tokens[at]!;
    const { top } = this;
    if (top.pattern !== null) return 0;
    if (top.isKey) top.term ??= start;
    else if (text === "if") this.#open("if", start);
    else if (text === "then" || text === "elif" || text === "else") {
      top.term = null;
      top.isBranch = text !== "elif";
    } else if (text === "end") {
      if (top.opener === "if") this.frames.pop();
    } else if (text === "as") {
      top.term = null;
      top.pattern = 0;
    } else if (text === "reduce" || text === "foreach") {
      top.fold = { name: text, start };
      top.term = null;
    } else if (text === "def") return this.#definition(tokens, at);
    else if (BETWEEN.has(text)) top.term = null;
    else if (tokens[at + 1]?.text === "(" && tokens[at + 1]!.kind === "sign") {
      this.#open("(", start, text);
      return 1;
    } else top.term ??= start;
    return 0;
  }

  /** `def name(a; $b):` up to its colon. */
  #definition(tokens: readonly Token[], at: number): number {
    const name = tokens[at + 1];
    const colon = tokens.findIndex(({ kind, text }, i) => i > at && kind === "sign" && text === ":");
    const end = colon === -1 ? tokens.length : colon;
    const parameters = tokens.slice(at + 2, end).filter(({ kind }) => kind === "name" || kind === "variable");
    for (const { kind, text } of parameters)
      if (kind === "variable") this.variables.add(text);
      else this.functions.set(text, 0);
    const frame = newFrame("def", name?.text ?? "", parameters.length);
    // Its head is not finished: nothing is to come there but names.
    if (colon === -1) frame.pattern = 0;
    else this.functions.set(frame.name, parameters.length);
    this.frames.push(frame);
    return end - at;
  }

  #sign(text: string, start: number): void {
    const { top } = this;
    const closes = Object.hasOwn(CLOSES, text) ? CLOSES[text] : undefined;
    if (text === "(" && top.pattern === 0 && top.fold !== null) {
      const { fold } = top;
      Object.assign(top, { pattern: null, fold: null, term: null });
      this.#open("(", fold.start, fold.name);
    } else if (top.pattern !== null && text !== "|" && text !== "(" && text !== ";") {
      if (text === "[" || text === "{") top.pattern++;
      else if (closes !== undefined) top.pattern--;
    } else if (text === "(" || text === "[" || text === "{") this.#open(text, start);
    else if (closes !== undefined) {
      // A bracket too many closes nothing: the program is none.
      if (top.opener === closes) this.frames.pop();
    } else if (text === "..") top.term ??= start;
    else if (text !== "?") this.#between(text);
  }

  #between(text: string): void {
    const { top } = this;
    top.term = null;
    if (text === "|" || text === ";") top.pattern = null;
    if (top.opener === "{" && text === ":") top.isKey = false;
    if (top.opener === "{" && text === ",") top.isKey = true;
    if (text !== ";") return;
    if (top.opener === "def") this.frames.pop();
    else top.args++;
  }

  #open(opener: Frame["opener"], start: number, name = ""): void {
    this.top.term ??= start;
    this.frames.push(newFrame(opener, name));
  }

  /** What closes the frames from an index on, with `.` for what is missing. */
  closing(from = 0): string {
    return this.frames
      .slice(from)
      .toReversed()
      .map((frame) => this.#closed(frame))
      .join("");
  }

  #closed(frame: Frame): string {
    const fold = frame.fold === null ? "" : " as $_ (.; .)";
    switch (frame.opener) {
      case "program":
        return fold;
      case "(":
        return `${fold}${"; .".repeat(this.#missing(frame))})`;
      case "[":
        return `${fold}]`;
      case "{":
        return `${frame.isKey ? ": 1" : fold}}`;
      case "\\(":
        return `${fold})"`;
      case "if":
        return `${fold}${frame.isBranch ? "" : " then ."} end`;
      case "def":
        return `${fold}; ${frame.name}${frame.args === 0 ? "" : `(.${"; .".repeat(frame.args - 1)})`}`;
    }
  }

  /** Arguments that a call still needs. */
  #missing({ name, args }: Frame): number {
    const own = this.functions.get(name);
    const counts = [
      ...(name === "reduce" || name === "foreach" ? [2, 3] : []),
      ...(own === undefined ? [] : [own]),
      ...JQ_FUNCTIONS.filter((one) => one.name === name).map(({ parameters }) => parameters.length),
    ];
    const enough = counts.filter((count) => count > args);
    return enough.length === 0 ? 0 : Math.min(...enough) - args - 1;
  }
}
