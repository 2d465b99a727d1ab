// Where a value stands, written as a jq program: `.items[3]["a b"]`.

export type Step = string | number;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export function pathText(steps: readonly Step[]): string {
  let text = "";
  for (const step of steps) {
    if (typeof step === "string" && NAME.test(step)) text += `.${step}`;
    else text += `${text === "" ? "." : ""}[${JSON.stringify(step)}]`;
  }
  return text === "" ? "." : text;
}

/** The steps of such a text, or null when it is no path. */
export function pathSteps(text: string): Step[] | null {
  if (text === ".") return [];
  const steps: Step[] = [];
  const one = /\.?\[(\d{1,10})\]|\.?\[("(?:[^"\\]|\\.)*")\]|\.([A-Za-z_][A-Za-z0-9_]*)|\.("(?:[^"\\]|\\.)*")/y;
  while (one.lastIndex < text.length) {
    const found = one.exec(text);
    if (found === null) return null;
    const [, index, quoted = found[4], name] = found;
    if (index !== undefined) steps.push(Number(index));
    else if (name !== undefined) steps.push(name);
    else {
      try {
        steps.push(JSON.parse(quoted!) as string);
      } catch {
        return null;
      }
    }
  }
  return text.startsWith(".") ? steps : null;
}
