// Which keyboard the reader has, and how its keys are named.

/** True for the user agent of a Mac, an iPhone or an iPad. */
export const isMacAgent = (agent: string): boolean => /Mac OS|Macintosh|iPhone|iPad/u.test(agent);

/** In the browser: on a Mac `mod` is Command, elsewhere Ctrl. */
export const isMac = (): boolean => typeof navigator !== "undefined" && isMacAgent(navigator.userAgent);

/** `mod+k` as it stands on the keyboard: `⌘K` or `Ctrl+K`; each press of a sequence apart. */
export function keyLabels(keys: string, mac: boolean): string[] {
  return keys.split(" ").map((key) => {
    const [first = "", second] = key.split("+");
    if (first === "mod" && second !== undefined) return mac ? `⌘${nameOf(second, mac)}` : `Ctrl+${nameOf(second, mac)}`;
    if (first === "shift" && second !== undefined)
      return mac ? `⇧${nameOf(second, mac)}` : `Shift+${nameOf(second, mac)}`;
    return nameOf(key, mac, false);
  });
}

const ARROWS: Readonly<Record<string, string>> = { ArrowDown: "↓", ArrowUp: "↑", ArrowLeft: "←", ArrowRight: "→" };

/** With a modifier a letter is a key (`K`); alone its case tells `j` from `J`. */
function nameOf(key: string, mac: boolean, isKey = true): string {
  if (key.toLowerCase() === "enter") return mac ? "↩" : "Enter";
  return ARROWS[key] ?? (isKey && key.length === 1 ? key.toUpperCase() : key);
}
