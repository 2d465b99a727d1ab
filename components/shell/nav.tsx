"use client";
// The pages in the order of the top bar, with the second key of their shortcut. A page that is added gets its line here.
import { useMemo } from "react";
import { useManages, useSeesAll } from "../ui/access-context.ts";

export type NavPage = {
  readonly href: string;
  readonly name: string;
  readonly key: string;
  /** It shows the server and all that it has: on a node of a fleet not for somebody of a project. */
  readonly isOfServer?: true;
  /** For who manages a project of a fleet at least. */
  readonly isOfAdmins?: true;
};

const PAGES: readonly NavPage[] = [
  { href: "/", name: "Sessions", key: "s" },
  { href: "/search", name: "Search", key: "f" },
  { href: "/usage", name: "Usage", key: "u" },
  { href: "/findings", name: "Findings", key: "i" },
  { href: "/artifacts", name: "Artifacts", key: "a" },
  { href: "/playground", name: "Playground", key: "p", isOfServer: true },
  { href: "/sources", name: "Sources", key: "o", isOfServer: true },
  { href: "/fleet", name: "Fleet", key: "l", isOfAdmins: true },
  { href: "/settings", name: "Settings", key: "e", isOfServer: true },
];

/** The pages that are offered to whoever signed in. */
export function usePages(): readonly NavPage[] {
  const seesAll = useSeesAll();
  const isAdmin = useManages().length > 0;
  return useMemo(
    () => PAGES.filter((page) => (seesAll || page.isOfServer !== true) && (isAdmin || page.isOfAdmins !== true)),
    [seesAll, isAdmin],
  );
}

/** True when `path` belongs to the page. Sessions own the root and everything below /sessions. */
export function isOnPage(page: NavPage, path: string): boolean {
  if (page.href === "/") return path === "/" || path.startsWith("/sessions");
  return path === page.href || path.startsWith(`${page.href}/`);
}
