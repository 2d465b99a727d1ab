// Paths as jq programs: `.items[].name`, `.["a b"]`, `.rows[]?`.

/** How a node lies in the one above it. `value`: any value of an object that is told as a map. */
export type Step = "root" | "key" | "element" | "value";

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A key as jq takes it behind a dot: by its name, or quoted. */
export function keyStep(key: string): string {
  return PLAIN.test(key) ? key : `[${jqString(key)}]`;
}

/** A text as jq reads it. What does not show, or turns the text around it, is written as an escape. */
export function jqString(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (hidden) =>
    Array.from({ length: hidden.length }, (_, at) => `\\u${hidden.charCodeAt(at).toString(16).padStart(4, "0")}`).join(
      "",
    ),
  );
}

/** The path of a node in the one whose path is `above`. `isSafe` false where some values there cannot be entered. */
export function pathOf(above: string, step: Step, key: string, isSafe: boolean): string {
  const mark = isSafe ? "" : "?";
  if (step === "root") return ".";
  if (step !== "key") return above === "." ? `.[]${mark}` : `${above}[]${mark}`;
  const name = keyStep(key);
  if (above === ".") return `.${name}${mark}`;
  return name.startsWith("[") ? `${above}${name}${mark}` : `${above}.${name}${mark}`;
}

/** What a shape tells of a node, as far as entering it goes. */
export type Entered = { readonly types: readonly { readonly type: string; readonly count: number }[] };

/** Whether a step into every value of a node gives no error: jq reads a key of null, but no elements of it. */
export function isSafeStep(node: Entered, step: Step): boolean {
  const safe = step === "key" ? ["object", "null"] : ["array", "object"];
  return node.types.every(({ type }) => safe.includes(type));
}
