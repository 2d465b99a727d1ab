"use client";
// Beside the chart of the first session that this browser opens: what its line, its colours and its numbers mean. They stand
// in the page, below what they are about, so that they cover nothing; each is dismissed for good.
import { X } from "lucide-react";
import { useEffect, useRef, useSyncExternalStore, type ReactNode } from "react";
import { useSession } from "../shared/session-context.tsx";
import { Button } from "../ui/button.tsx";
import { Num } from "../ui/num.tsx";
import { categoryColor } from "../ui/swatch.tsx";
import { hintsCookie, hintsLeft, writtenCookie, type Hint } from "./first-hints.ts";

type Words = { readonly title: string; readonly mark: ReactNode; readonly says: ReactNode };

const WORDS: Readonly<Record<Hint, Words>> = {
  line: {
    title: "Load line",
    mark: <i className="h-0.5 w-5 bg-load" />,
    says: "The red line is the most tokens that a prompt of this model may have.",
  },
  colours: {
    title: "Colours",
    mark: (["result", "assistant", "user"] as const).map((category) => (
      <i key={category} className="size-2" style={{ background: categoryColor(category) }} />
    )),
    says: "Each colour is one kind of content in the prompt. The legend on Load names them.",
  },
  marks: {
    title: "Numbers",
    mark: null,
    says: (
      <>
        <Num value={1234} origin="reported" /> is reported by the provider, <Num value={1234} origin="counted" /> is
        counted, <Num value={1234} origin="estimated" /> is estimated.
      </>
    ),
  },
};

const watchers = new Set<() => void>();

function subscribe(notify: () => void): () => void {
  watchers.add(notify);
  return () => watchers.delete(notify);
}

function keep(session: string, left: readonly Hint[]): void {
  document.cookie = writtenCookie(session, left);
  for (const notify of watchers) notify();
}

type FirstHintsProps = {
  hasLine: boolean;
  /** The cookie as it came with the request of the page: the hints stand in it from the first byte, and push nothing later. */
  sent: string | null;
};

export function FirstHints({ hasLine, sent }: FirstHintsProps) {
  const { id } = useSession();
  const cookie = useSyncExternalStore(
    subscribe,
    () => hintsCookie(document.cookie),
    () => sent,
  );
  useEffect(() => {
    // From now on this is the first session, whether its hints are read or not.
    if (cookie === null) keep(id, hintsLeft(null, id));
  }, [cookie, id]);
  const list = useRef<HTMLUListElement>(null);
  const shown = hintsLeft(cookie, id).filter((hint) => hint !== "line" || hasLine);
  if (shown.length === 0) return null;
  const dismiss = (hint: Hint) => {
    const rest = shown.filter((one) => one !== hint);
    // The button that was pressed goes: the focus moves to the next one, or on to the page.
    const buttons = list.current?.querySelectorAll("button") ?? [];
    const at = shown.indexOf(hint);
    if (rest.length === 0) focusPage();
    else (buttons[at + 1] ?? buttons[at - 1])?.focus();
    keep(id, rest);
  };
  const dismissAll = () => {
    keep(id, []);
    focusPage();
  };
  return (
    <aside
      aria-label="First hints"
      className="flex flex-none items-start gap-x-4 gap-y-1 border-t border-line bg-sunk print:hidden px-6 py-1.5 text-12 max-lg:flex-wrap max-md:px-4"
    >
      <ul
        ref={list}
        className="grid min-w-0 flex-1 grid-cols-[auto_auto_auto] gap-x-6 gap-y-1 max-lg:basis-full max-lg:grid-cols-1"
      >
        {shown.map((hint) => (
          <HintItem key={hint} hint={hint} onDismiss={() => dismiss(hint)} />
        ))}
      </ul>
      <Button kind="quiet" small onClick={dismissAll}>
        Dismiss all
      </Button>
    </aside>
  );
}

const focusPage = () => document.querySelector<HTMLElement>("[role=tab][aria-selected=true]")?.focus();

function HintItem({ hint, onDismiss }: { hint: Hint; onDismiss: () => void }) {
  const { title, mark, says } = WORDS[hint];
  return (
    <li className="flex min-w-0 items-start gap-2 text-ink-2">
      <span className="min-w-0 flex-1 py-0.75">
        <b className="font-semibold text-ink">{title}</b>
        <span aria-hidden="true" className="mx-1.5 inline-flex items-center gap-0.5 align-middle">
          {mark}
        </span>
        {says}
      </span>
      <button
        type="button"
        aria-label={`Dismiss the hint: ${title}`}
        title="Dismiss"
        onClick={onDismiss}
        className="inline-grid size-6 flex-none place-items-center rounded-1 text-ink-3 hover:bg-raised hover:text-ink"
      >
        <X size={12} aria-hidden="true" />
      </button>
    </li>
  );
}
