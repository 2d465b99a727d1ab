// A moment of the treemap as a picture that stands alone: no script, no font, nothing fetched. Pure.
import type { Category } from "#lib/wire/common-schema.ts";
import { formatTokens } from "../ui/format.ts";
import { escapeMarkup } from "#lib/kernel/escape-markup.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { MAP_HEIGHT, type Tile } from "./tiles.ts";

export type Moment = {
  readonly title: string;
  readonly call: number;
  readonly tokens: number;
  readonly line: number | null;
  readonly width: number;
  readonly tiles: readonly Tile[];
  /** Px above the tiles that are free; 0 where they fill the map. */
  readonly free: number;
  /** Px from the top; null where no line is drawn. */
  readonly lineAt: number | null;
};

export type MomentColors = {
  readonly bg: string;
  readonly ink: string;
  readonly load: string;
  readonly category: Readonly<Record<Category, string>>;
};

const HEAD = 44;
/** Px of a letter of 12 px, on average. */
const LETTER = 6.6;

export function treemapSvg(moment: Moment, colors: MomentColors): string {
  const { width, call, tokens, line, free, lineAt } = moment;
  const height = HEAD + MAP_HEIGHT;
  const share = line === null ? "" : `, ${Math.round((tokens / line) * 100)} % of the load line`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="${colors.bg}"/>`,
    `<text x="0" y="16" font-size="14" font-weight="600" fill="${colors.ink}">${escaped(clip(moment.title, width / 8))}</text>`,
    `<text x="0" y="34" fill="${colors.ink}">Call ${call}: ${formatTokens(tokens)} tokens${share}</text>`,
    ...moment.tiles.map((tile) => tileSvg(tile, HEAD + free, colors)),
    ...(lineAt === null
      ? []
      : [`<path d="M0 ${HEAD + lineAt}H${width}" stroke="${colors.load}" stroke-width="1.5" fill="none"/>`]),
    "</svg>",
  ].join("\n");
}

function tileSvg({ rect, category, age, label, words }: Tile, top: number, colors: MomentColors): string {
  const { x, width, height } = rect;
  const y = rect.y + top;
  const opacity = (0.16 + 0.26 * (1 - age)).toFixed(2);
  const color = colors.category[category];
  const text =
    width < 44 || height < 18
      ? ""
      : `<text x="${round(x + 7)}" y="${round(y + 13)}" fill="${colors.ink}">${escaped(clip(label, (width - 10) / LETTER))}</text>`;
  return (
    `<g><title>${escaped(shownText(words))}</title>` +
    `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" fill="${color}" fill-opacity="${opacity}"/>` +
    `<rect x="${round(x)}" y="${round(y)}" width="${round(Math.min(3, width / 3))}" height="${round(height)}" fill="${color}"/>${text}</g>`
  );
}

const round = (px: number): number => Math.round(px * 10) / 10;

function clip(text: string, chars: number): string {
  const letters = [...shownText(text)];
  return letters.length <= chars
    ? letters.join("")
    : `${letters.slice(0, Math.max(1, Math.floor(chars) - 1)).join("")}…`;
}

/** Nothing of a text is markup, and no control character is left that XML does not take. */
const escaped = (text: string): string =>
  escapeMarkup(text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/gu, "\ufffd"));
