// The pages in the order of the top bar, with the second key of their shortcut. A page that is added gets its line here.

export type NavPage = {
  readonly href: string;
  readonly name: string;
  readonly key: string;
  /** A narrow bar has no room for it; the list of sessions and the palette lead there. */
  readonly isWide?: true;
};

export const PAGES: readonly NavPage[] = [
  { href: "/", name: "Sessions", key: "s" },
  { href: "/search", name: "Search", key: "f" },
  { href: "/usage", name: "Usage", key: "u" },
  { href: "/findings", name: "Findings", key: "i", isWide: true },
  { href: "/artifacts", name: "Artifacts", key: "a" },
  { href: "/playground", name: "Playground", key: "p" },
  { href: "/sources", name: "Sources", key: "o" },
  { href: "/settings", name: "Settings", key: "e" },
];

/** True when `path` belongs to the page. Sessions own the root and everything below /sessions. */
export function isOnPage(page: NavPage, path: string): boolean {
  if (page.href === "/") return path === "/" || path.startsWith("/sessions");
  return path === page.href || path.startsWith(`${page.href}/`);
}
