"use client";
import { CircleHelp, Monitor, Moon, Search, Sun } from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { isOnPage, usePages } from "./nav.tsx";
import { LiveDot } from "../ui/badge.tsx";
import { IconButton } from "../ui/button.tsx";
import { fetched } from "../ui/fetched.tsx";
import { formatCount } from "../ui/format.ts";
import { Keys } from "../ui/kbd.tsx";
import { useConnected } from "../ui/server-connection.ts";
import { usePerson } from "../ui/access-context.ts";
import { Mark } from "../ui/mark.tsx";
import { useIsMac } from "../ui/platform-context.ts";
import { useSources } from "../shared/server-status.ts";
import type { Theme } from "./theme.ts";

/** Of a node alone: the first page of one machine does without. */
const Account = fetched(
  () => import("./account.tsx").then((own) => own.Account),
  <span className="ml-1 -mr-1.5 size-7 flex-none" />,
);

/** More pages than this, as admins have at a node of a fleet, leave less room beside them. */
const ROW_OF_PAGES = 8;

type TopBarProps = { theme: Theme; onTheme: () => void; onSearch: () => void; onGuide: () => void };

export function TopBar({ theme, onTheme, onSearch, onGuide }: TopBarProps) {
  const path = usePathname();
  const mac = useIsMac();
  const pages = usePages();
  const person = usePerson();
  const isMany = pages.length > ROW_OF_PAGES;
  return (
    <header className="flex min-h-11 flex-none flex-wrap items-center lg:flex-nowrap gap-1 border-b border-line px-6 max-lg:py-1 max-md:px-4 max-md:pt-2 max-md:pb-0">
      <Link
        href="/"
        className="mr-5 flex flex-none items-center gap-2 text-15 font-semibold tracking-[-.012em] max-lg:mr-2"
      >
        <Mark />
        <span>Plimsoll</span>
      </Link>
      {/* A phone is narrower than the names beside the rest: they have their own row, or two. At 1024 px the search alone narrows. */}
      <nav
        aria-label="Pages"
        className="flex flex-none gap-1 max-md:order-last max-md:basis-full max-md:pb-1.5 max-sm:grid max-sm:grid-cols-4 min-[380px]:max-sm:data-many:grid-cols-5"
        data-many={isMany ? "" : undefined}
      >
        {pages.map((page) => (
          <Link
            key={page.href}
            href={page.href}
            aria-current={isOnPage(page, path) ? "page" : undefined}
            className="flex h-7 flex-none items-center rounded-2 px-2 text-ink-2 focus-visible:-outline-offset-2 max-lg:px-1 max-sm:justify-center max-sm:px-0 max-sm:text-12 hover:bg-sunk aria-[current]:bg-sunk aria-[current]:font-medium aria-[current]:text-ink"
          >
            {page.name}
          </Link>
        ))}
      </nav>
      <span className="flex-1" />
      <Watching isShort={isMany} />
      <button
        type="button"
        onClick={onSearch}
        aria-keyshortcuts={mac ? "Meta+K" : "Control+K"}
        className="flex h-7 w-55 min-w-0 items-center gap-2 rounded-2 border border-line-strong bg-raised px-2 text-12 text-ink-3 hover:border-control max-lg:w-8 max-lg:flex-none max-lg:px-[7px]"
      >
        <Search size={14} aria-hidden="true" />
        <span className="flex-1 truncate text-left max-lg:sr-only">Search everything</span>
        <span className="max-xl:hidden">
          <Keys keys="mod+k" />
        </span>
      </button>
      <IconButton label="Guide" onClick={onGuide} aria-keyshortcuts="?">
        <CircleHelp size={15} aria-hidden="true" />
      </IconButton>
      <ThemeSwitch theme={theme} onTheme={onTheme} />
      {person !== null && <Account person={person} />}
    </header>
  );
}

function Watching({ isShort }: { isShort: boolean }) {
  const { data } = useSources();
  const connected = useConnected();
  if (!data) return null;
  const watched = data.roots.filter((root) => root.watching);
  const files = watched.reduce((sum, root) => sum + root.files, 0);
  return (
    <Link
      href="/sources"
      title={connected ? `${formatCount(files, "file")} in them` : "Reconnecting to the server"}
      className={`mr-3 flex flex-none items-center gap-2 text-12 text-ink-3 hover:text-ink max-lg:hidden ${isShort ? "max-xl:hidden" : ""}`}
    >
      {connected && watched.length > 0 && <LiveDot />}
      {connected ? `watching ${formatCount(watched.length, "source")}` : "not connected"}
    </Link>
  );
}

const ICONS = { system: Monitor, light: Sun, dark: Moon };

function ThemeSwitch({ theme, onTheme }: { theme: Theme; onTheme: () => void }) {
  const Icon = ICONS[theme];
  const now = theme === "system" ? "as the system has it" : theme;
  return (
    <IconButton label={`Theme: ${now}. Change it`} onClick={onTheme} className="-mr-1.5">
      <Icon size={15} aria-hidden="true" />
    </IconButton>
  );
}
