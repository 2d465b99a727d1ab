// Shows a change to a settings file, and asks on a terminal whether to make it.
import { createInterface } from "node:readline/promises";
import { diffOf, type SettingsChange } from "../settings/change-settings.ts";
import type { Words } from "./args.ts";
import { plain } from "./print.ts";

/** True when it is to be made: `--yes`, or a yes on the terminal. */
export async function confirmChange({ options }: Words, title: string, change: SettingsChange): Promise<boolean> {
  const show = (text: string): void => (options["json"] === true ? console.error(text) : console.log(text));
  show(`${title}: ${plain(change.part.file)}`);
  if (change.before === change.after) {
    show("Nothing to change.");
    return false;
  }
  show(plain(diffOf(change)).trimEnd());
  if (options["dry-run"] === true) return false;
  if (options["yes"] === true) return true;
  if (!process.stdin.isTTY) {
    show("Nothing was written. Add --yes to write this change.");
    return false;
  }
  const ask = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await ask.question("Write this change? [y/N] ")).trim());
  } finally {
    ask.close();
  }
}
