// A session's status as one line of a terminal, in colours that a terminal has in its own palette.
import { budgetWords } from "#lib/kernel/load/budgets.ts";
import { leastUsd, percent, shortly } from "#lib/kernel/load/load-labels.ts";
import type { SessionStatus } from "#lib/wire/status-schema.ts";
import { WrongWords } from "./args.ts";
import { oneLine } from "./print.ts";

/** What a format may name, in braces. A part that is not known is left out, with what joins it. */
const PARTS: Readonly<Record<string, (status: SessionStatus, look: Look) => string | null>> = {
  gauge: ({ load }, look) =>
    load.share === null ? null : look.colour(loadColour(load.share, look.warnAt), gauge(load.share)),
  share: ({ load }, look) =>
    load.share === null ? null : look.colour(loadColour(load.share, look.warnAt), percent(load.share)),
  load: ({ load: { tokens, origin, line } }) =>
    tokens === null
      ? null
      : `${shortly(tokens)}${origin === "counted" ? "·" : ""}${line === null ? "" : ` of ${shortly(line)}`}`,
  fastest: ({ fastest }) =>
    fastest === null
      ? null
      : `${oneLine(fastest.label, 24)} +${shortly(fastest.tokens)} in ${fastest.calls} ${fastest.calls === 1 ? "call" : "calls"}`,
  calls: ({ callsLeft: left }) => (left === null ? null : `${left} ${left === 1 ? "call" : "calls"} left`),
  cost: ({ cost }) => money(cost),
  day: ({ day }) => {
    const usd = money(day);
    return usd === null ? null : `${usd} today`;
  },
  budget: ({ budget }, look) =>
    budget == null ? null : look.colour(budget.state === "over" ? "red" : "yellow", `budget ${budgetWords(budget)}`),
  cache: ({ cache }, look) => (cache === null ? null : cacheText(Date.parse(cache.expiresAt) - look.now, look)),
  model: ({ model }) => (model === null ? null : oneLine(model, 32)),
  title: ({ title }) => oneLine(title, 40),
};

const DEFAULT = "{gauge} {share} {load} | {fastest} | {cost}, {day} | {budget} | {cache}";

type Look = {
  readonly now: number;
  readonly warnAt: number | null;
  readonly colour: (colour: Colour, text: string) => string;
};

const COLOURS = { green: 32, yellow: 33, red: 31, grey: 90 } as const;
type Colour = keyof typeof COLOURS;

/** `format`: text with parts in braces; `|` and `,` between parts that are not known go with them. */
export function statusText(
  status: SessionStatus,
  {
    now,
    hasColour,
    format = DEFAULT,
  }: { readonly now: number; readonly hasColour: boolean; readonly format?: string | undefined },
): string {
  const paint = (colour: Colour, text: string): string => (hasColour ? `\x1b[${COLOURS[colour]}m${text}\x1b[0m` : text);
  const look: Look = { now, warnAt: status.warnAt, colour: paint };
  const groups = format.split(/\s*\|\s*/).map((group) =>
    group
      .split(/\s*,\s*/)
      .map((piece) => filled(piece, status, look))
      .filter((piece) => piece !== null)
      .join(", "),
  );
  const line = groups.filter((group) => group !== "").join(paint("grey", " | "));
  const isOver = status.warnAt !== null && status.load.share !== null && status.load.share >= status.warnAt;
  return isOver ? `${paint("red", "!")} ${line}` : line;
}

/** Null when all parts that it names are unknown. */
function filled(piece: string, status: SessionStatus, look: Look): string | null {
  let named = 0;
  let known = 0;
  const text = piece.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    if (!Object.hasOwn(PARTS, name))
      throw new WrongWords(
        `--format knows no {${name}}. It knows ${Object.keys(PARTS)
          .map((part) => `{${part}}`)
          .join(" ")}.`,
      );
    named++;
    const value = PARTS[name]!(status, look);
    if (value !== null) known++;
    return value ?? "";
  });
  return named > 0 && known === 0 ? null : text.replace(/ {2,}/g, " ").trim();
}

const CELLS = 10;
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;

/** Ten cells up to the load line. */
function gauge(share: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * CELLS * 8);
  const full = "█".repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]!;
  return full.padEnd(CELLS, "░");
}

/** From half of the line on each call costs what a fresh session's first ten do; from 0.8 agents begin to compact. */
function loadColour(share: number, warnAt: number | null): Colour {
  const red = warnAt ?? 0.8;
  return share >= red ? "red" : share >= red * 0.7 ? "yellow" : "green";
}

const money = ({ usd, isLeast }: SessionStatus["cost"]): string | null => leastUsd(usd, isLeast);

function cacheText(left: number, { colour }: Look): string {
  if (left <= 0) return colour("grey", "cache expired");
  const minutes = Math.ceil(left / 60_000);
  return colour(minutes <= 1 ? "yellow" : "green", `cache ${minutes} min`);
}
