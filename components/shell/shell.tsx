"use client";
import { useRouter } from "next/navigation";
import { useCallback, useMemo, useState, type ReactNode, useEffect, useRef } from "react";
import { usePages } from "./nav.tsx";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { Dropped } from "./dropped.tsx";
import { PlatformContext } from "../ui/platform-context.ts";
import { paletteKeys } from "./palette-keys.ts";
import { LoadWarning } from "./load-warning.tsx";
import { StatusLine } from "./status-line.tsx";
import { applyTheme, THEMES, type Theme } from "./theme.ts";
import { TopBar } from "./top-bar.tsx";
import { FloatingNote } from "../ui/floating-note.tsx";
import { noteUnder } from "../ui/note-under.ts";
import { useQueryClient } from "@tanstack/react-query";
import { Button } from "../ui/button.tsx";
import { connection, guardLinks, probe, useConnected } from "../ui/server-connection.ts";
import { fetched } from "../ui/fetched.tsx";

/** The frame around every page: top bar, status line, and what may float over them. */
type ShellProps = { theme: Theme; mac: boolean; width: number; children: ReactNode };

export function Shell({ theme: initial, mac, width, children }: ShellProps) {
  const router = useRouter();
  const [theme, setTheme] = useState(initial);
  const [layer, setLayer] = useState<"palette" | "guide" | null>(null);

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
  const pages = usePages();
  const platform = useMemo(() => ({ mac, width }), [mac, width]);

  const shortcuts = useMemo<Shortcut[]>(
    () => [
      { keys: "mod+k", label: "Search everything", group: "Anywhere", inFields: true, run: search },
      { keys: "?", label: "Guide: shortcuts and words", group: "Anywhere", run: () => setLayer("guide") },
      ...pages.map((page) => ({
        keys: `g ${page.key}`,
        label: page.name,
        group: "Go to",
        run: () => router.push(page.href),
      })),
    ],
    [pages, router, search],
  );
  useShortcuts(shortcuts);

  return (
    <PlatformContext value={platform}>
      <TopBar theme={theme} onTheme={nextTheme} onSearch={search} onGuide={() => setLayer("guide")} />
      <StoppedBanner />
      <LoadWarning />
      <main className="flex min-h-0 flex-1 flex-col cramped:overflow-y-auto">
        <div className="flex min-h-0 flex-1 flex-col cramped:min-h-140">{children}</div>
      </main>
      <StatusLine />
      <Dropped />
      <TitleNotes />
      {layer === "palette" && <Palette onClose={close} onTheme={nextTheme} onGuide={() => setLayer("guide")} />}
      {layer === "guide" && <Guide onClose={close} />}
    </PlatformContext>
  );
}

// What a title says on hover a click or a tap says too: where a number comes from, why a value is not there, what a badge
// means. One listener for all of them; buttons and links keep their own click.
function TitleNotes() {
  const [shown, setShown] = useState<{ readonly of: Element; readonly text: string } | null>(null);
  const anchor = useRef<Element | null>(null);
  const close = useCallback(() => setShown(null), []);
  useEffect(() => {
    const onClick = (event: MouseEvent) => {
      if (event.button !== 0 || window.getSelection()?.isCollapsed === false) return;
      const found = noteUnder(event.target);
      anchor.current = found;
      const text = found?.getAttribute("title") ?? "";
      setShown((now) => (found === null || text === "" || now?.of === found ? null : { of: found, text }));
    };
    document.addEventListener("click", onClick);
    return () => document.removeEventListener("click", onClick);
  }, []);
  if (shown === null) return null;
  return (
    <FloatingNote key={shown.text} anchor={anchor} onClose={close}>
      {shown.text}
    </FloatingNote>
  );
}

/** The server was stopped: said once, on every page. What is on screen stays, and so does the page. */
function StoppedBanner() {
  const connected = useConnected();
  const queries = useQueryClient();
  const [state, setState] = useState<"idle" | "asking" | "silent">("idle");
  // A link was pressed: the banner says why nothing happened.
  const [held, setHeld] = useState(0);
  useEffect(() => guardLinks(() => setHeld((count) => count + 1)), []);
  // What failed meanwhile, and what changed meanwhile, is fetched again.
  useEffect(() => connection.subscribe((isBack) => isBack && void queries.invalidateQueries()), [queries]);
  if (connected) return null;
  const retry = async () => {
    setState("asking");
    setState((await probe()) ? "idle" : "silent");
  };
  return (
    <div
      role="alert"
      className="flex min-h-9 flex-none flex-wrap items-center gap-x-3 gap-y-1 border-b border-line-strong bg-sunk px-6 py-1 max-md:px-4"
    >
      <span className="min-w-0">
        <b className="font-semibold">Plimsoll does not answer.</b> Start it again:{" "}
        <code className="mono">npx plimsoll</code>, or <code className="mono">npm start</code> in a checkout.
      </span>
      <Button
        small
        disabled={state === "asking"}
        title={state === "asking" ? "It is being asked" : undefined}
        onClick={() => void retry()}
      >
        Retry
      </Button>
      {state === "silent" && <span className="text-12 text-ink-2">Still no answer.</span>}
      {held > 0 && <span className="text-12 text-ink-2">Links open once it answers.</span>}
    </div>
  );
}

// The palette brings cmdk and a dialog with it (some 20 kB compressed): it is fetched when it is first asked for.
const Palette = fetched(() => import("./palette-layer.tsx").then((module) => module.PaletteLayer));

const Guide = fetched(() => import("./guide-layer.tsx").then((module) => module.GuideLayer));
