// What a click adds to a program: a key is gone to, a value is selected by.
import { pathOf } from "../shape-tree/shape-path.ts";
import { lex } from "./lexer.ts";
import { pipeStages } from "./pipe-stages.ts";

/** A key, or the index of an element. */
export type JsonStep = string | number;
/** Where something stands in a value; `value`: as it is written, null for a key. */
export type JsonPick = { readonly path: readonly JsonStep[]; readonly value: string | null };

/** `.items[].name`: elements one and all. */
const pathText = (path: readonly JsonStep[]): string =>
  path.reduce<string>(
    (above, step) => pathOf(above, typeof step === "number" ? "element" : "key", String(step), true),
    ".",
  );

/** `.items[] | select(.status == "failed")`: of the innermost list, the elements that hold the value. */
export function filterOf({ path, value }: JsonPick): string {
  if (value === null) return pathText(path);
  const inner = path.findLastIndex((step) => typeof step === "number") + 1;
  const condition = `select(${pathText(path.slice(inner))} == ${value})`;
  return inner === 0 ? condition : `${pathText(path.slice(0, inner))} | ${condition}`;
}

/** The program, and what is done with each of its values. */
export function extended(program: string, addition: string): string {
  const { tokens, endsIn } = lex(program);
  const words = program.trim();
  if (tokens.length === 0 || words === ".") return addition;
  if (addition === ".") return program;
  // A comment would take what follows with it; a definition alone is no program yet.
  const next = endsIn === "comment" ? "\n" : " ";
  const isDefinition = tokens.at(-1)?.text === ";";
  return `${program.trimEnd()}${next}${isDefinition ? "" : "| "}${addition}`;
}

/** Whether a stage leaves out values and changes none. */
const isSelection = (text: string): boolean => /^select\s*\(/u.test(text) && pipeStages(text).length === 1;

/**
 * The program, gone on to a path of the input (`.items[]`, with `condition` a selection there). Null where the program has
 * changed its values already, so that the path is no longer in them.
 */
export function goneTo(program: string, path: string, condition: string | null): string | null {
  const stages = pipeStages(program).map(({ text }) => text);
  const isPath =
    stages[0] !== undefined && /^\.(?:[A-Za-z_.]|\[|$)/u.test(stages[0]) && !/[,(+*/<>=]|\s/u.test(stages[0]);
  const at = stages.length === 0 || isSelection(stages[0]!) ? "." : isPath ? stages[0]! : null;
  const rest = at === "." && stages[0] !== "." ? stages : stages.slice(1);
  if (at === null || !rest.every(isSelection) || !path.startsWith(at)) return null;
  const way = at === "." ? path : path.slice(at.length);
  if (at !== "." && way !== "" && !/^[.[]/u.test(way)) return null;
  const steps = [at === "." ? path : way === "" ? "" : way.startsWith("[") ? `.${way}` : way, condition ?? ""];
  const additions = steps.filter((text) => text !== "" && text !== ".");
  return additions.reduce(extended, program.trim() === "" ? "." : program);
}
