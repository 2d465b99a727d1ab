"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Command } from "cmdk";
import { useRouter } from "next/navigation";
import { useDeferredValue, useRef, useState, type ReactNode } from "react";
import { sessionsAnswer } from "#lib/wire/sessions.ts";
import { PAGES } from "../nav.tsx";
import { api, withQuery } from "../ui/api.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Kbd } from "../ui/kbd.tsx";
import { Hits, SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { loadDemo } from "./imports.ts";

type PaletteProps = { onClose: () => void; onTheme: () => void; onShortcuts: () => void };

const FOUND = 8;

/** Search everything: pages, sessions by any word in them, and what can be done. */
export function PaletteLayer({ onClose, onTheme, onShortcuts }: PaletteProps) {
  const router = useRouter();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const asked = useDeferredValue(text.trim());
  const { data } = useQuery({
    queryKey: ["sessions", "palette", asked],
    queryFn: ({ signal }) => api(withQuery("/api/sessions", { q: asked, limit: FOUND }), sessionsAnswer, { signal }),
    placeholderData: keepPreviousData,
  });
  const go = (href: string) => {
    onClose();
    router.push(href);
  };
  const act = (run: () => void) => {
    onClose();
    run();
  };
  const matches = (name: string) => name.toLowerCase().includes(text.trim().toLowerCase());
  const actions = [
    { name: "Change the theme", run: onTheme },
    { name: "Load the demo", run: () => void loadDemo() },
    { name: "Import files or a folder", run: () => router.push("/sources") },
    { name: "All shortcuts", run: onShortcuts, hint: "?" },
  ].filter((action) => matches(action.name));
  return (
    <Dialog open onClose={onClose} title="Search everything" width={600} focus={field}>
      <Command shouldFilter={false} label="Search everything" loop>
        <Command.Input
          ref={field}
          value={text}
          onValueChange={setText}
          placeholder="A word from a session, a page, an action"
          className="mb-2 h-8 w-full rounded-2 border border-line-strong bg-raised px-2"
        />
        <Command.List className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-12 [&_[cmdk-group-heading]]:text-ink-3">
          <Command.Empty className="px-2 py-3 text-ink-2">Nothing found for these words.</Command.Empty>
          {PAGES.some((page) => matches(page.name)) && (
            <Command.Group heading="Pages">
              {PAGES.filter((page) => matches(page.name)).map((page) => (
                <Item key={page.href} value={page.href} onPick={() => go(page.href)} hint={<Kbd>g {page.key}</Kbd>}>
                  {page.name}
                </Item>
              ))}
            </Command.Group>
          )}
          {data && data.sessions.length > 0 && (
            <Command.Group heading={asked === "" ? "Latest sessions" : `Sessions, ${data.total} found`}>
              {data.sessions.map((session) => (
                <Item
                  key={session.id}
                  value={session.id}
                  onPick={() => go(`/sessions/${session.id}`)}
                  hint={<When ts={session.startedAt} show="day" />}
                >
                  <SafeText text={session.title} />
                  {session.snippet !== null && (
                    <span className="text-12 text-ink-3">
                      {" "}
                      <Hits text={session.snippet} />
                    </span>
                  )}
                </Item>
              ))}
            </Command.Group>
          )}
          {actions.length > 0 && (
            <Command.Group heading="Actions">
              {actions.map((action) => (
                <Item
                  key={action.name}
                  value={action.name}
                  onPick={() => act(action.run)}
                  hint={action.hint === undefined ? undefined : <Kbd>{action.hint}</Kbd>}
                >
                  {action.name}
                </Item>
              ))}
            </Command.Group>
          )}
        </Command.List>
      </Command>
    </Dialog>
  );
}

type ItemProps = { value: string; onPick: () => void; hint?: ReactNode; children: ReactNode };

function Item({ value, onPick, hint, children }: ItemProps) {
  return (
    <Command.Item
      value={value}
      onSelect={onPick}
      className="flex h-8 items-center gap-2 rounded-1 px-2 data-[selected=true]:bg-select"
    >
      <span className="min-w-0 flex-1 truncate">{children}</span>
      <span className="flex-none text-12 text-ink-3">{hint}</span>
    </Command.Item>
  );
}
