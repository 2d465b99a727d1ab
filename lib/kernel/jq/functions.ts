// What may be named in a jq program, with what it does in a sentence and an example that has been run.
import { MATH_FUNCTIONS } from "./functions-math.ts";
import { TEXT_FUNCTIONS } from "./functions-text.ts";
import { VALUE_FUNCTIONS } from "./functions-values.ts";

export type JqFunction = {
  /** As written where it has no arguments. */
  readonly name: string;
  readonly parameters: readonly string[];
  readonly says: string;
  readonly example: { readonly program: string; readonly input: string; readonly output: string };
};

export const JQ_FUNCTIONS: readonly JqFunction[] = [VALUE_FUNCTIONS, TEXT_FUNCTIONS, MATH_FUNCTIONS].flatMap(readTable);

export const FORMATS: readonly JqFunction[] = readTable(String.raw`
@text ¦ The input as a text, as tostring has it. ¦ @text ¦ 7 ¦ "7"
@json ¦ The input as JSON, in a text. ¦ @json ¦ [1] ¦ "[1]"
@csv ¦ An array as a row of CSV: texts in quotes. ¦ @csv ¦ ["Rye",7] ¦ "\"Rye\",7"
@tsv ¦ An array as a row with tabs between the cells. ¦ @tsv ¦ ["Rye",7] ¦ "Rye\t7"
@html ¦ A text that is safe in HTML. ¦ @html ¦ "<b>" ¦ "&lt;b&gt;"
@uri ¦ A text that is safe in an address. ¦ @uri ¦ "a b" ¦ "a%20b"
@urid ¦ What @uri made safe, as it was. ¦ @urid ¦ "a%20b" ¦ "a b"
@sh ¦ A text, or an array of them, quoted for a shell. ¦ @sh ¦ "it's" ¦ "'it'\\''s'"
@base64 ¦ The bytes of a text in base64. ¦ @base64 ¦ "tide" ¦ "dGlkZQ=="
@base64d ¦ What base64 holds, as a text. ¦ @base64d ¦ "dGlkZQ==" ¦ "tide"
`);

export type Keyword = {
  readonly name: string;
  readonly says: string;
  readonly snippet?: string;
  /** It goes on from a whole term. */
  readonly isBetween?: true;
};

export const KEYWORDS: readonly Keyword[] = [
  { name: "if", says: "if CONDITION then A else B end", snippet: "if ${1:condition} then ${2:.} else ${3:empty} end" },
  { name: "then", says: "the result of an if", isBetween: true },
  { name: "elif", says: "another condition of an if", isBetween: true },
  { name: "else", says: "the result of an if otherwise", isBetween: true },
  { name: "end", says: "ends an if", isBetween: true },
  { name: "and", says: "both; false and null count as false", isBetween: true },
  { name: "or", says: "either; false and null count as false", isBetween: true },
  { name: "as", says: "binds a value to a name: . as $x | …", isBetween: true },
  { name: "try", says: "continues after an error", snippet: "try ${1:.} catch ${2:empty}" },
  { name: "catch", says: "the handler of an error", isBetween: true },
  {
    name: "reduce",
    says: "one value of many, step by step",
    snippet: "reduce ${1:.[]} as \\$${2:x} (${3:0}; ${4:. + \\$x})",
  },
  {
    name: "foreach",
    says: "as reduce, with the value of each step",
    snippet: "foreach ${1:.[]} as \\$${2:x} (${3:0}; ${4:. + \\$x})",
  },
  { name: "def", says: "defines a function", snippet: "def ${1:name}: ${2:.};" },
  { name: "label", says: "the target of break", snippet: "label \\$${1:out} | ${2:.}" },
  { name: "true", says: "true" },
  { name: "false", says: "false" },
  { name: "null", says: "null" },
];

export const VARIABLES: readonly { readonly name: string; readonly says: string }[] = [
  { name: "$ENV", says: "the environment: empty here" },
  { name: "$__loc__", says: "file and line of this place in the program" },
];

/** All functions of a name, whatever their arguments. */
export function functionNamed(name: string): readonly JqFunction[] {
  return (name.startsWith("@") ? FORMATS : JQ_FUNCTIONS).filter((one) => one.name === name);
}

export const signatureOf = ({ name, parameters }: JqFunction): string =>
  parameters.length === 0 ? name : `${name}(${parameters.join("; ")})`;

function readTable(table: string): JqFunction[] {
  return table
    .trim()
    .split("\n")
    .map((line) => {
      const [signature, says, program, input, output] = line.split(" ¦ ") as [string, string, string, string, string];
      const open = signature.indexOf("(");
      return {
        name: open < 0 ? signature : signature.slice(0, open),
        parameters: open < 0 ? [] : signature.slice(open + 1, -1).split("; "),
        says,
        example: { program, input, output },
      };
    });
}
