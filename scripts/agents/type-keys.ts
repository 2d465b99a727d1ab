// An agent at a terminal of its own: `script` of util-linux makes it, and keys are typed when what they answer to is on its screen.
import { spawnSync } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

/** Keys, and what is there before they are typed: words written since the keys before them, and so many answered requests in all. */
export type Keystrokes = { readonly screen: string; readonly answers?: number; readonly keys: string };

export const ENTER = "\r";
export const UP = "\u001B[A";

const LOOK_MS = 20;
/** What has just been drawn takes keys a moment later. */
const SETTLE_MS = 150;

/** A text, and Enter once it is drawn: together they are taken for a paste. */
export const typed = (text: string, screen: string, answers?: number): Keystrokes[] => [
  { screen, ...(answers === undefined ? {} : { answers }), keys: text },
  { screen: text, keys: ENTER },
];

/** Why no terminal can be had here. */
export function missingTerminal(): string | null {
  const { stdout } = spawnSync("script", ["--version"], { encoding: "utf8" });
  return (stdout ?? "").includes("util-linux") ? null : "it needs a terminal, and `script` of util-linux is not here";
}

/** The command that runs another one at a terminal of 140 columns. */
export const atTerminal = (args: readonly string[]): string[] => [
  "script",
  "-qfec",
  `stty rows 45 cols 140; exec ${args.map((arg) => `'${arg.replaceAll("'", "'\\''")}'`).join(" ")}`,
  "/dev/null",
];

/** Types all of them; `waitsFor` says of a terminal that has stopped what it did not show. */
export function typeKeys(
  terminal: { readonly stdin: Writable; readonly stdout: Readable },
  keystrokes: readonly Keystrokes[],
  answers: () => number,
): { readonly waitsFor: () => string | null; stop(): void } {
  let drawn = "";
  let waitsFor: string | null = null;
  const stopped = new AbortController();
  terminal.stdout.on("data", (chunk) => (drawn += String(chunk)));
  // The agent may end before the last keys.
  terminal.stdin.on("error", () => undefined);
  const type = async (): Promise<void> => {
    for (const { screen, answers: least = 0, keys } of keystrokes) {
      waitsFor = screen;
      while (!stopped.signal.aborted && (answers() < least || !wordsOf(drawn).includes(wordsOf(screen))))
        await sleep(LOOK_MS);
      await sleep(SETTLE_MS);
      if (stopped.signal.aborted) return;
      drawn = "";
      terminal.stdin.write(keys);
    }
    waitsFor = null;
  };
  void type();
  return { waitsFor: () => waitsFor, stop: () => stopped.abort() };
}

// eslint-disable-next-line no-control-regex
const CONTROLS = /\u001B(?:\[[0-9;?<>=]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[()][A-Z0-9]|[=>78])|\s/g;

/** Without colours, moves and spaces: blanks are drawn as moves of the cursor. */
const wordsOf = (drawn: string): string => drawn.replaceAll(CONTROLS, "");
