"use client";
import { useRouter } from "next/navigation";
import { useCallback, useMemo, useState, type ReactNode } from "react";
import { PAGES } from "./nav.tsx";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { Dropped } from "./dropped.tsx";
import { PlatformContext } from "../ui/platform-context.ts";
import { Palette } from "./palette.tsx";
import { paletteKeys } from "./palette-keys.ts";
import { ShortcutsDialog } from "./shortcuts-dialog.tsx";
import { StatusLine } from "./status-line.tsx";
import { applyTheme, THEMES, type Theme } from "./theme.ts";
import { StoppedBanner } from "./stopped-banner.tsx";
import { TitleNotes } from "./title-notes.tsx";
import { TopBar } from "./top-bar.tsx";

/** The frame around every page: top bar, status line, and what may float over them. */
type ShellProps = { theme: Theme; mac: boolean; children: ReactNode };

export function Shell({ theme: initial, mac, children }: ShellProps) {
  const router = useRouter();
  const [theme, setTheme] = useState(initial);
  const [layer, setLayer] = useState<"palette" | "shortcuts" | null>(null);

  const nextTheme = () => {
    const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
    applyTheme(next);
    setTheme(next);
  };

  const close = useCallback(() => {
    paletteKeys.release();
    setLayer(null);
  }, []);
  const search = useCallback(() => {
    paletteKeys.collect(close);
    setLayer("palette");
  }, [close]);
  const platform = useMemo(() => ({ mac }), [mac]);

  const shortcuts = useMemo<Shortcut[]>(
    () => [
      { keys: "mod+k", label: "Search everything", group: "Anywhere", inFields: true, run: search },
      { keys: "?", label: "All shortcuts", group: "Anywhere", run: () => setLayer("shortcuts") },
      ...PAGES.map((page) => ({
        keys: `g ${page.key}`,
        label: page.name,
        group: "Go to",
        run: () => router.push(page.href),
      })),
    ],
    [router, search],
  );
  useShortcuts(shortcuts);

  return (
    <PlatformContext value={platform}>
      <TopBar theme={theme} onTheme={nextTheme} onSearch={search} />
      <StoppedBanner />
      <main className="flex min-h-0 flex-1 flex-col">{children}</main>
      <StatusLine />
      <Dropped />
      <TitleNotes />
      {layer === "palette" && <Palette onClose={close} onTheme={nextTheme} onShortcuts={() => setLayer("shortcuts")} />}
      {layer === "shortcuts" && <ShortcutsDialog onClose={close} />}
    </PlatformContext>
  );
}
