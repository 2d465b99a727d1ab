// Figures of Autobyteus folders: traces by type, as they became events.
import { sumOf, type Figure, type GoldenReader } from "./golden-figure.ts";

type Expected = {
  readonly records: number;
  readonly toolErrors: number;
  readonly traceTypes: Readonly<Record<string, number>>;
  readonly turnIds: number;
};

export const autobyteusFigures: GoldenReader = {
  folder: "autobyteus",
  figures: (given, { archive, sessions }): Figure[] => {
    const want = given as Expected;
    const events = archive.sqlite.prepare("SELECT count(*) FROM events WHERE type = ?").pluck();
    const typed = (type: string): Figure => ({
      name: type,
      got: Number(events.get(type)),
      want: want.traceTypes[type] ?? 0,
    });
    return [
      typed("user"),
      typed("reasoning"),
      { name: "records", got: sumOf(sessions, ({ records }) => records), want: want.records },
      { name: "turns", got: sumOf(sessions, ({ turns }) => turns), want: want.turnIds },
      {
        name: "toolCalls",
        got: sumOf(sessions, ({ toolCalls }) => toolCalls),
        want: want.traceTypes["tool_call"] ?? 0,
      },
      {
        name: "toolResults",
        got: sumOf(sessions, ({ toolResults }) => toolResults),
        want: want.traceTypes["tool_result"] ?? 0,
      },
      { name: "toolErrors", got: sumOf(sessions, ({ toolErrors }) => toolErrors), want: want.toolErrors },
    ];
  },
};
