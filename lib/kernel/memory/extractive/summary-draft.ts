// A summary while it is written: sections in the order in which they are read, filled in the order in which they matter, never
// over the budget. Every line names the events that it was taken from; only headings name none.

export type ExtractedLine = {
  readonly text: string;
  readonly seqs: readonly number[];
  readonly isHeading: boolean;
};

export type SectionCount = { readonly title: string; readonly kept: number; readonly all: number };

export type Section = {
  readonly title: string;
  readonly lines: ExtractedLine[];
  /** Things that it could have told. */
  all: number;
  kept: number;
};

/** Characters of a line beside its own: the break before it. */
const BREAK = 1;

export class SummaryDraft {
  readonly sections: readonly Section[];
  left: number;

  constructor(titles: readonly string[], budgetChars: number) {
    this.sections = titles.map((title) => ({ title, lines: [], all: 0, kept: 0 }));
    // The first line has no break before it.
    this.left = Math.max(0, Math.floor(budgetChars)) + BREAK;
  }

  section(title: string): Section {
    return this.sections.find((one) => one.title === title)!;
  }

  /** What a line would take, with the heading where it is the section's first. */
  costOf(section: Section, text: string): number {
    return text.length + BREAK + (section.lines.length === 0 ? headingOf(section).length + BREAK : 0);
  }

  /** Puts a line where it fits, in what is left of the budget and within `most`. Returns what it took; 0: it was left out. */
  put(section: Section, text: string, seqs: readonly number[], most = Number.POSITIVE_INFINITY): number {
    const cost = this.costOf(section, text);
    if (cost > this.left || cost > most) return 0;
    section.lines.push({ text, seqs, isHeading: false });
    this.left -= cost;
    return cost;
  }

  lines(): ExtractedLine[] {
    return this.sections
      .filter(({ lines }) => lines.length > 0)
      .flatMap((section) => [{ text: headingOf(section), seqs: [], isHeading: true }, ...section.lines]);
  }
}

const headingOf = ({ title }: Section): string => `## ${title}`;
