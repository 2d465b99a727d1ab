// A summary while it is written: sections in the order in which they are read, filled in the order in which they matter, never
// over the budget. Every line names the events that it was taken from; only headings name none.
import { plainWords } from "./content-words.ts";
import { entitiesIn } from "./entities.ts";
import type { Piece } from "./piece.ts";

export type ExtractedLine = {
  readonly text: string;
  readonly seqs: readonly number[];
  readonly isHeading: boolean;
};

/** `all`: things that the section could have told. */
export type SectionCount = { readonly title: string; readonly kept: number; readonly all: number };

export type Section = { title: string; lines: ExtractedLine[]; all: number; kept: number };

const TITLES = {
  goal: "Goal",
  limits: "Constraints",
  said: "User messages",
  files: "Files",
  decisions: "Decisions",
  commands: "Commands, as they last ended",
  errors: "Error lines",
  open: "Open",
  evidence: "Evidence",
  names: "Other names",
} as const;
export type SectionName = keyof typeof TITLES;

/** Words around a name that make it one in context: the metric's number. */
const WORDS = 4;
/** What a name without words around it is worth against one with them. */
const BARE = 0.3;
/** How well each name is there: 1 among words, BARE without. */
export type Covered = Map<string, number>;
export const worthOf = (words: number): number => (words >= WORDS ? 1 : BARE);

/** Words of ours on a line: how it ended, where it stands. */
const OURS = /^- [a-z -]{1,24}\d*(?: ×\d+)?: | \[[^[\]]*\]$/g;

const titleWith = (name: SectionName, kept: number, leftOut: number): string =>
  `${TITLES[name]} (${kept} shown, ${leftOut} left out)`;

export class SummaryDraft {
  readonly pieces: readonly Piece[];
  readonly sections: readonly Section[];
  readonly budget: number;
  /** Characters that are left. */
  left: number;
  readonly #byName: ReadonlyMap<SectionName, Section>;
  readonly #refs: ReadonlyMap<number, string>;

  constructor(pieces: readonly Piece[], budgetChars: number) {
    this.pieces = pieces;
    this.budget = Number.isFinite(budgetChars) ? Math.max(0, Math.floor(budgetChars)) : 0;
    // The first line has no break before it.
    this.left = this.budget + 1;
    this.#byName = new Map(
      Object.entries(TITLES).map(([name, title]) => [name as SectionName, { title, lines: [], all: 0, kept: 0 }]),
    );
    this.sections = [...this.#byName.values()];
    this.#refs = new Map(pieces.map(({ seq, ref }) => [seq, ref]));
  }

  section = (name: SectionName): Section => this.#byName.get(name)!;

  ref = (seq: number): string => `[${this.#refs.get(seq)!}]`;

  /** What a line would take, with the heading where it is the section's first. */
  costOf(name: SectionName, text: string): number {
    const { lines, title } = this.section(name);
    return text.length + 1 + (lines.length === 0 ? title.length + 4 : 0);
  }

  /** Puts a line where it fits, in what is left and within `most`. Returns what it took; 0: it was left out. */
  put(name: SectionName, text: string, seqs: readonly number[], most = Number.POSITIVE_INFINITY): number {
    const cost = this.costOf(name, text);
    if (cost > this.left || cost > most) return 0;
    this.section(name).lines.push({ text, seqs, isHeading: false });
    this.left -= cost;
    return cost;
  }

  /** Says in the heading how many things were left out; expectLeftOut kept the room. */
  countLeftOut(name: SectionName): void {
    const section = this.section(name);
    const before = section.title.length;
    const leftOut = section.all - section.kept;
    section.title = leftOut > 0 ? titleWith(name, section.kept, leftOut) : TITLES[name];
    if (section.lines.length > 0) this.left += before - section.title.length;
  }

  /** A heading that has room for the counts, whatever they will be. */
  expectLeftOut(name: SectionName, all: number): void {
    const section = this.section(name);
    section.all = all;
    section.title = titleWith(name, all, all);
  }

  /** Lines of a section in the order of the log, by their last event. */
  inOrder(name: SectionName): void {
    const section = this.section(name);
    section.lines = section.lines.toSorted((a, b) => a.seqs.at(-1)! - b.seqs.at(-1)!);
  }

  /** The names that the lines have so far. */
  covered(): Covered {
    const covered: Covered = new Map();
    for (const { text } of this.lines()) {
      const worth = worthOf(new Set(plainWords(text.replace(OURS, ""))).size);
      for (const { name } of entitiesIn(text)) covered.set(name, Math.max(covered.get(name) ?? 0, worth));
    }
    return covered;
  }

  counts = (): SectionCount[] => [...this.#byName].map(([name, { kept, all }]) => ({ title: TITLES[name], kept, all }));

  text = (): string =>
    this.lines()
      .map(({ text }) => text)
      .join("\n");

  lines(): ExtractedLine[] {
    return this.sections
      .filter(({ lines }) => lines.length > 0)
      .flatMap(({ title, lines }) => [{ text: `## ${title}`, seqs: [], isHeading: true }, ...lines]);
  }
}
