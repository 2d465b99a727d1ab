// What the browser's tab says: the session first, because a tab shows some twenty characters.
import { shownText } from "#lib/kernel/hidden-text.ts";
import type { Tab } from "../shared/url-state.ts";

const CHARS = 60;

const NAMES: Record<Tab, string | null> = {
  transcript: null,
  load: "Load",
  tools: "Tools",
  memory: "Memory",
  context: "Context",
  artifacts: "Artifacts",
};

/** The beginning of a session's title, cut at a word. */
export function shortTitle(title: string): string {
  const line = shownText(title).replace(/\s+/gu, " ").trim();
  if (line === "") return "Untitled session";
  if (line.length <= CHARS) return line;
  const cut = line.slice(0, CHARS).toWellFormed();
  const space = cut.lastIndexOf(" ");
  return `${cut.slice(0, space > CHARS / 2 ? space : CHARS)}…`;
}

/** Without the application's name, which every page adds. */
export const sessionTabTitle = (title: string, tab: string): string => {
  const name = Object.hasOwn(NAMES, tab) ? NAMES[tab as Tab] : null;
  return name === null ? shortTitle(title) : `${shortTitle(title)} · ${name}`;
};
