// What jq wrote, as lines that can be looked up while more of it comes. Each piece is read once.

/** Characters of a line that are drawn; the rest of it is counted. */
export const LINE_CHARS = 2000;

export class Output {
  #text = "";
  /** Where each line begins. */
  readonly #starts = [0];

  get text(): string {
    return this.#text;
  }

  get lineCount(): number {
    const last = this.#starts.length;
    return this.#starts[last - 1] === this.#text.length ? last - 1 : last;
  }

  /** Where a line begins in the text. */
  startOf(line: number): number {
    return this.#starts[line] ?? this.#text.length;
  }

  append(piece: string): void {
    const from = this.#text.length;
    this.#text += piece;
    for (let at = piece.indexOf("\n"); at >= 0; at = piece.indexOf("\n", at + 1)) this.#starts.push(from + at + 1);
  }

  /** A line from 0, without its end; `more` is how much of it is left out. */
  lineAt(line: number): { readonly text: string; readonly more: number } {
    const from = this.#starts[line] ?? this.#text.length;
    const next = this.#starts[line + 1];
    const to = next === undefined ? this.#text.length : next - 1;
    return { text: this.#text.slice(from, Math.min(to, from + LINE_CHARS)), more: Math.max(0, to - from - LINE_CHARS) };
  }
}
