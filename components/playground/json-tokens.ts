// The parts of one line of JSON, for its colours. jq wrote it, so a line ends where a token ends, unless it was cut. Pure.

export type TokenKind = "key" | "string" | "number" | "word" | "mark";
export type Token = { readonly kind: TokenKind; readonly text: string };

const TOKEN =
  /(?<string>"(?:[^"\\]|\\.)*"?)(?<colon>\s*:)?|(?<number>-?[0-9][0-9.eE+-]*)|(?<word>[A-Za-z]+)|[^"A-Za-z0-9-]+|-/g;

export function jsonTokens(line: string): Token[] {
  const tokens: Token[] = [];
  for (const { 0: text, groups } of line.matchAll(TOKEN)) {
    if (groups?.["string"] !== undefined) {
      tokens.push({ kind: groups["colon"] === undefined ? "string" : "key", text: groups["string"] });
      if (groups["colon"] !== undefined) tokens.push({ kind: "mark", text: groups["colon"] });
    } else if (groups?.["number"] !== undefined) tokens.push({ kind: "number", text });
    else tokens.push({ kind: groups?.["word"] === undefined ? "mark" : "word", text });
  }
  return tokens;
}
