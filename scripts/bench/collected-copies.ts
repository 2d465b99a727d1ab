// Collected session files as often as a size takes: the first time as they are, then with other ids, on another day, and with longer
// texts by a few blanks, so that a copy shares no record, call or stored output with another. Records of pi have no id but their time.
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** UUIDs, and what providers and agents call messages, calls, answers and sub-agents. */
const IDS =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<=\b(?:msg|req|toolu|call|fc|rs|ctc|resp|chatcmpl|ws|agent)[_-])[0-9A-Za-z]{8,}/g;
/** Times, as texts and in milliseconds: those of a copy are as many days later as it has a number. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const [FIRST_MS, LAST_MS, DAY_MS] = [1.5e12, 2e12, 86_400_000];
/** Texts from here on end otherwise in each copy: an output that is stored apart is then one of its own. */
const TEXT_CHARS = 256;

/** The files below `from` again and again below `to`, of some `size` bytes or more. Returns how often. */
export function collectedCopies(from: string, to: string, size: number): number {
  const names = (readdirSync(from, { recursive: true }) as string[]).filter((name) =>
    statSync(join(from, name)).isFile(),
  );
  const bytes = names.reduce((sum, name) => sum + statSync(join(from, name)).size, 0);
  const count = Math.ceil(size / bytes);
  cpSync(from, join(to, "0"), { recursive: true });
  for (let n = 1; n < count; n++)
    for (const name of names) {
      const path = join(to, String(n), withOtherIds(name, n));
      mkdirSync(dirname(path), { recursive: true });
      const lines = readFileSync(join(from, name), "utf8").split("\n");
      writeFileSync(path, lines.map((line) => copyOfLine(line, n)).join("\n"));
    }
  return count;
}

/** A line that is broken stays as it is. */
export function copyOfLine(line: string, n: number): string {
  const value = jsonOf(line);
  return value === undefined ? line : JSON.stringify(copied(value, n));
}

function copied(value: unknown, n: number): unknown {
  if (Array.isArray(value)) return value.map((one) => copied(one, n));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [withOtherIds(key, n), copied(one, n)]));
  if (typeof value === "number" && value > FIRST_MS && value < LAST_MS) return value + n * DAY_MS;
  if (typeof value !== "string") return value;
  if (TIME.test(value)) return new Date(Date.parse(value) + n * DAY_MS).toISOString();
  // Arguments and outputs that are JSON themselves hold texts, too.
  const inner = /^[{[]/.test(value) ? jsonOf(value) : undefined;
  if (inner !== undefined) return JSON.stringify(copied(inner, n));
  return withOtherIds(value, n) + (value.length < TEXT_CHARS ? "" : " ".repeat(n));
}

const withOtherIds = (text: string, n: number): string =>
  text.replace(IDS, (id) =>
    [...id].map((char, i) => turned(char, i % 2 === 0 ? n % 10 : Math.floor(n / 10) % 10)).join(""),
  );

/** Another digit or letter of its kind: a hexadecimal one stays one. */
function turned(char: string, by: number): string {
  const alphabet = ["0123456789", "abcdef", "ghijklmnopqrstuvwxyz", "ABCDEF", "GHIJKLMNOPQRSTUVWXYZ"].find((one) =>
    one.includes(char),
  );
  return alphabet === undefined ? char : alphabet[(alphabet.indexOf(char) + by) % alphabet.length]!;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
