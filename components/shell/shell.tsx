"use client";
import { useRouter } from "next/navigation";
import { useCallback, useMemo, useState, type ReactNode } from "react";
import { PAGES } from "../nav.tsx";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { Dropped } from "./dropped.tsx";
import { Palette } from "./palette.tsx";
import { ShortcutsDialog } from "./shortcuts-dialog.tsx";
import { StatusLine } from "./status-line.tsx";
import { applyTheme, THEMES, type Theme } from "./theme.ts";
import { TopBar } from "./top-bar.tsx";

/** The frame around every page: top bar, status line, and what may float over them. */
export function Shell({ theme: initial, children }: { theme: Theme; children: ReactNode }) {
  const router = useRouter();
  const [theme, setTheme] = useState(initial);
  const [layer, setLayer] = useState<"palette" | "shortcuts" | null>(null);

  const nextTheme = () => {
    const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
    applyTheme(next);
    setTheme(next);
  };

  const shortcuts = useMemo<Shortcut[]>(
    () => [
      { keys: "mod+k", label: "Search everything", group: "Anywhere", inFields: true, run: () => setLayer("palette") },
      { keys: "?", label: "All shortcuts", group: "Anywhere", run: () => setLayer("shortcuts") },
      ...PAGES.map((page) => ({
        keys: `g ${page.key}`,
        label: page.name,
        group: "Go to",
        run: () => router.push(page.href),
      })),
    ],
    [router],
  );
  useShortcuts(shortcuts);
  const close = useCallback(() => setLayer(null), []);

  return (
    <>
      <TopBar theme={theme} onTheme={nextTheme} onSearch={() => setLayer("palette")} />
      <main className="flex min-h-0 flex-1 flex-col">{children}</main>
      <StatusLine />
      <Dropped />
      {layer === "palette" && <Palette onClose={close} onTheme={nextTheme} onShortcuts={() => setLayer("shortcuts")} />}
      {layer === "shortcuts" && <ShortcutsDialog onClose={close} />}
    </>
  );
}
