// Terminal output as spans: colour and weight become classes, everything else that a terminal would
// obey is taken out and counted. No control character leaves this file, and nothing is hidden: concealed
// text is shown, overprinted text stands beside what would have covered it. Pure, one pass.

export type AnsiSpan = {
  readonly text: string;
  /** One of eight colours that read on both themes, or null. Red is not among them: it is the load line's. */
  readonly color: AnsiColor | null;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
};
const ANSI_COLORS = ["grey", "amber", "green", "gold", "blue", "violet", "cyan", "ink"] as const;
export type AnsiColor = (typeof ANSI_COLORS)[number];
export type AnsiText = {
  readonly spans: readonly AnsiSpan[];
  /** Sequences that would have moved the cursor, cleared the screen, set a title or a link, or hidden text. */
  readonly stripped: number;
  /** What holds at its end, for the line after it. */
  readonly style: AnsiStyle;
};

export type AnsiStyle = Omit<AnsiSpan, "text">;
type Style = AnsiStyle;
const PLAIN: Style = { color: null, bold: false, dim: false, italic: false, underline: false };
const BY_CODE: readonly AnsiColor[] = ["grey", "amber", "green", "gold", "blue", "violet", "cyan", "ink"];
/** More changes of style than this are shown plain: a span costs about 1 µs to make and 20 to lay out. */
const MOST_SPANS = 5000;

// CSI … final byte; OSC, DCS, PM, APC and SOS up to their end (BEL or ST), or up to a line end when unterminated;
// any other escape is two characters. The 8-bit forms are the same.
const SEQUENCE =
  /(?:\u001b\[|\u009b)([0-?]*)([ -/]*)([@-~]?)|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?|[\u0080-\u009f]/gu;

export const hasAnsi = (text: string): boolean => /[\u001b\u0080-\u009f]/u.test(text);

export function ansiSpans(text: string, before: AnsiStyle = PLAIN): AnsiText {
  if (!hasAnsi(text)) return { spans: text === "" ? [] : [{ text, ...before }], stripped: 0, style: before };
  const spans: AnsiSpan[] = [];
  let style = before;
  let at = 0;
  let stripped = 0;
  const put = (piece: string) => {
    if (piece === "") return;
    const last = spans.at(-1);
    if (last && (sameStyle(last, style) || spans.length >= MOST_SPANS))
      spans[spans.length - 1] = { ...last, text: last.text + piece };
    else spans.push({ text: piece, ...style });
  };
  for (const match of text.matchAll(SEQUENCE)) {
    put(text.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[3] === "m" && match[2] === "") {
      const [next, hid] = applySgr(style, match[1] ?? "");
      style = next;
      if (hid) stripped++;
    } else stripped++;
  }
  put(text.slice(at));
  return { spans, stripped, style };
}

/** Lines one after the other: a colour that is not ended in its line goes on in the next. Null where all are plain. */
export function ansiLines(lines: readonly string[]): readonly AnsiText[] | null {
  if (!lines.some(hasAnsi)) return null;
  let style = PLAIN;
  return lines.map((line) => {
    const read = ansiSpans(line, style);
    ({ style } = read);
    return read;
  });
}

function applySgr(style: Style, parameters: string): [Style, boolean] {
  const codes = parameters.split(/[;:]/u).map((code) => (code === "" ? 0 : Number(code)));
  let next = style;
  let hid = false;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] ?? 0;
    if (code === 38 || code === 48) {
      const [color, used] = extended(codes, i + 1);
      if (code === 38) next = { ...next, color };
      i += used;
    } else if (code === 8) hid = true;
    else next = withCode(next, code);
  }
  return [next, hid];
}

function withCode(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 3) return { ...style, italic: true };
  if (code === 4) return { ...style, underline: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 23) return { ...style, italic: false };
  if (code === 24) return { ...style, underline: false };
  if (code === 39) return { ...style, color: null };
  if (code >= 30 && code <= 37) return { ...style, color: BY_CODE[code - 30] ?? null };
  if (code >= 90 && code <= 97) return { ...style, color: BY_CODE[code - 90] ?? null };
  return style;
}

/** `5;n` or `2;r;g;b` after a 38 or 48: the nearest of our eight, and how many parameters it took. */
function extended(codes: readonly number[], at: number): [AnsiColor | null, number] {
  if (codes[at] === 5) return [fromPalette(codes[at + 1] ?? 0), 2];
  if (codes[at] === 2) return [nearest(codes[at + 1] ?? 0, codes[at + 2] ?? 0, codes[at + 3] ?? 0), 4];
  return [null, 0];
}

function fromPalette(n: number): AnsiColor | null {
  if (n < 16) return BY_CODE[n % 8] ?? null;
  if (n >= 232) return "grey";
  const cube = n - 16;
  const level = (step: number) => (step % 6) * 51;
  return nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6)), level(cube));
}

function nearest(r: number, g: number, b: number): AnsiColor {
  const most = Math.max(r, g, b);
  const spread = most - Math.min(r, g, b);
  if (spread < 40) return most > 200 ? "ink" : "grey";
  const hue =
    most === r ? (60 * (g - b)) / spread : most === g ? 120 + (60 * (b - r)) / spread : 240 + (60 * (r - g)) / spread;
  const angle = (hue + 360) % 360;
  if (angle < 35 || angle >= 330) return "amber";
  if (angle < 75) return "gold";
  if (angle < 160) return "green";
  if (angle < 200) return "cyan";
  return angle < 260 ? "blue" : "violet";
}

const sameStyle = (a: Style, b: Style): boolean =>
  a.color === b.color && a.bold === b.bold && a.dim === b.dim && a.italic === b.italic && a.underline === b.underline;
