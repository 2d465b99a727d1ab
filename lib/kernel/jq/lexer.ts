// The words of a jq program, as far as completion asks: also of one that is being typed and is none yet.

export type TokenKind =
  | "field" // .name
  | "dot" // . alone
  | "name" // a function, a keyword, a key of an object
  | "variable" // $name
  | "format" // @csv
  | "number"
  | "string" // a whole one, its text unescaped as far as it is plain
  | "open-string" // up to an interpolation or to the end
  | "interpolate" // \( in a string
  | "sign"; // everything else, as it stands

export type Token = { readonly kind: TokenKind; readonly text: string; readonly start: number; readonly end: number };

/** How a text ends: inside a comment or a string nothing is completed. */
export type Lexed = { readonly tokens: readonly Token[]; readonly endsIn: "code" | "string" | "comment" };

const PATTERN =
  /(?<space>\s+)|(?<comment>#[^\n]*)|(?<field>\.[A-Za-z_][A-Za-z0-9_]*)|(?<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)|(?<variable>\$[A-Za-z_0-9:]*)|(?<format>@[A-Za-z0-9_]*)|(?<name>[A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z_][A-Za-z0-9_]*)*)|(?<sign>\.\.|\?\/\/=?|\/\/=?|[|+\-*/%]=|==|!=|<=|>=|[\s\S])/y;

export function lex(text: string): Lexed {
  const tokens: Token[] = [];
  /** Brackets that are open inside each interpolation that is open. */
  const inner: number[] = [];
  let at = 0;
  const push = (kind: TokenKind, start: number, end: number, said: string = text.slice(start, end)): void => {
    tokens.push({ kind, text: said, start, end });
  };
  /** The rest of a string from `from`; false when the text ends in it. */
  const string = (start: number, from: number): boolean => {
    for (let i = from; i < text.length; i++) {
      if (text[i] === '"') {
        push("string", start, i + 1, plain(text.slice(from, i)));
        at = i + 1;
        return true;
      }
      if (text[i] !== "\\") continue;
      if (text[i + 1] === "(") {
        push("open-string", start, i, plain(text.slice(from, i)));
        push("interpolate", i, i + 2);
        inner.push(0);
        at = i + 2;
        return true;
      }
      i++;
    }
    push("open-string", start, text.length, plain(text.slice(from)));
    return false;
  };
  while (at < text.length) {
    if (text[at] === '"') {
      if (!string(at, at + 1)) return { tokens, endsIn: "string" };
      continue;
    }
    PATTERN.lastIndex = at;
    const { groups } = PATTERN.exec(text)!;
    const start = at;
    at = PATTERN.lastIndex;
    if (groups!["space"] !== undefined) continue;
    if (groups!["comment"] !== undefined) {
      if (at === text.length) return { tokens, endsIn: "comment" };
      continue;
    }
    if (groups!["sign"] === undefined) {
      push(
        KINDS.find((kind) => groups![kind] !== undefined)!,
        start,
        at,
      );
      continue;
    }
    const sign = text.slice(start, at);
    if (inner.length > 0 && sign === "(") inner[inner.length - 1]!++;
    if (inner.length > 0 && sign === ")" && inner[inner.length - 1]!-- === 0) {
      inner.pop();
      push("sign", start, at, "\\)");
      if (!string(start, at)) return { tokens, endsIn: "string" };
      continue;
    }
    push(sign === "." ? "dot" : "sign", start, at);
  }
  return { tokens, endsIn: "code" };
}

const KINDS = ["field", "number", "variable", "format", "name"] as const;

/** Without its escapes where they are those of JSON. */
function plain(raw: string): string {
  if (!raw.includes("\\")) return raw;
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return raw;
  }
}
