// The stages of a program: what stands between its pipes. Only pipes of the program itself count: not those in brackets, in
// a definition, or behind `as` and `label`, whose names hold for all that follows.
import { lex } from "./lexer.ts";
import { OpenBrackets } from "./open-brackets.ts";

export type PipeStage = {
  /** The stage as it is written, without the white space around it. */
  readonly text: string;
  /** The program up to the end of this stage: what it gives is what the next stage reads. */
  readonly program: string;
};

/** One stage for a program without a pipe; none for one that ends in a string or has no word in it. */
export function pipeStages(program: string): PipeStage[] {
  const { tokens, endsIn } = lex(program);
  if (endsIn === "string" || tokens.length === 0) return [];
  const open = new OpenBrackets();
  const cuts: number[] = [];
  let isLabel = false;
  for (let at = 0; at < tokens.length;) {
    const { kind, text, start } = tokens[at]!;
    const isOutside = open.frames.length === 1;
    if (isOutside && kind === "name" && text === "label") isLabel = true;
    if (isOutside && kind === "sign" && text === "|") {
      if (open.top.pattern === null && !isLabel) cuts.push(start);
      isLabel = false;
    }
    let taken = 0;
    at = open.take(tokens, at, () => taken++ === 0);
  }
  return [...cuts, program.length].map((end, at) => ({
    text: program.slice(at === 0 ? 0 : cuts[at - 1]! + 1, end).trim(),
    program: program.slice(0, end).trimEnd(),
  }));
}
