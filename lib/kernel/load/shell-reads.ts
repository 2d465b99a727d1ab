// What a shell command reads: agents without a tool of their own for files read them with sed, cat, head and tail.

export type ShellRead = { readonly path: string; readonly start: number; readonly lines: number | null };

const SED =
  /\bsed\s+-n\s+['"]?(\d{1,9})(?:,(\d{1,9}))?p['"]?\s+(?:"([^"]{1,400})"|'([^']{1,400})'|([^\s|;&<>"']{1,400}))/;
const CAT = /(?:^|[;&|]\s{0,9})(?:cat|nl\s+-ba|less)\s+(?:"([^"]{1,400})"|'([^']{1,400})'|([^\s|;&<>"']{1,400}))/;
const HEAD = /\bhead\s+(?:-n\s{0,9})?-?(\d{1,9})\s+(?:"([^"]{1,400})"|'([^']{1,400})'|([^\s|;&<>"']{1,400}))/;

/** The first file that a command reads, or null. */
export function shellRead(command: string): ShellRead | null {
  const text = command.slice(0, 2000);
  const sed = SED.exec(text);
  if (sed !== null) {
    const [start, end] = [Number(sed[1]), sed[2] === undefined ? Number(sed[1]) : Number(sed[2])];
    return { path: named(sed, 3), start, lines: Math.max(1, end - start + 1) };
  }
  const head = HEAD.exec(text);
  if (head !== null) return { path: named(head, 2), start: 1, lines: Number(head[1]) };
  const cat = CAT.exec(text);
  const path = cat === null ? "" : named(cat, 1);
  return path === "" || path.startsWith("-") || path.startsWith("<<") ? null : { path, start: 1, lines: null };
}

const named = (match: RegExpExecArray, from: number): string => match[from] ?? match[from + 1] ?? match[from + 2] ?? "";
