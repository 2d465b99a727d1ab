"use client";
// What `?` opens: the shortcuts of this page, the words of all pages, and what the marks at numbers mean.
import { useState } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { Keys } from "../ui/kbd.tsx";
import { useAllShortcuts } from "../ui/keys.ts";
import { Num } from "../ui/num.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { Swatch } from "../ui/swatch.tsx";
import { CATEGORY_NAMES, type Category } from "#lib/wire/common-schema.ts";
import { CATEGORY_WORDS, GUIDE_WORDS, ORIGIN_WORDS } from "./guide-words.ts";

const PARTS = [
  { value: "shortcuts", label: "Shortcuts" },
  { value: "words", label: "Words" },
  { value: "marks", label: "Marks and colours" },
] as const;
type Part = (typeof PARTS)[number]["value"];

export function GuideLayer({ onClose }: { onClose: () => void }) {
  const [part, setPart] = useState<Part>("shortcuts");
  return (
    <Dialog open onClose={onClose} title="Guide" width={560}>
      <Segmented label="Part of the guide" value={part} options={PARTS} onPick={setPart} />
      {/* One height for all parts: the window does not move when another is chosen. */}
      <div
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
        tabIndex={0}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a <section> may have a name too, and no focus ring of ours
        role="region"
        aria-label={PARTS.find(({ value }) => value === part)?.label}
        className="mt-3 h-[46vh] overflow-y-auto pr-2"
      >
        {part === "shortcuts" ? <Shortcuts /> : part === "words" ? <Words /> : <Marks />}
      </div>
    </Dialog>
  );
}

/** Every shortcut that holds on this page, by group. */
function Shortcuts() {
  const groups = Map.groupBy(useAllShortcuts(), (shortcut) => shortcut.group);
  return [...groups].map(([group, shortcuts]) => (
    <section key={group} className="mt-3 first:mt-0">
      <h3 className="text-12 font-semibold text-ink-2">{group}</h3>
      <dl className="grid grid-cols-[1fr_auto] gap-x-4">
        {shortcuts.map((shortcut) => (
          <div key={shortcut.keys} className="contents">
            <dt className="py-1">{shortcut.label}</dt>
            <dd className="flex justify-end gap-1 py-1">
              <Keys keys={shortcut.keys} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  ));
}

const ROW = "grid grid-cols-[128px_minmax(0,1fr)] gap-x-4 border-b border-line py-1.5 max-sm:grid-cols-1";

function Words() {
  return (
    <dl>
      {GUIDE_WORDS.map(({ word, says }) => (
        <div key={word} className={ROW}>
          <dt className="font-medium">{word}</dt>
          <dd className="text-ink-2">{says}</dd>
        </div>
      ))}
    </dl>
  );
}

const EXAMPLE = 1234;

function Marks() {
  return (
    <>
      <h3 className="text-12 font-semibold text-ink-2">Where a number comes from</h3>
      <dl>
        {ORIGIN_WORDS.map(({ origin, says }) => (
          <div key={origin} className={ROW}>
            <dt className="font-medium tabular-nums">
              <Num value={EXAMPLE} origin={origin} />
            </dt>
            <dd className="text-ink-2">{says}</dd>
          </div>
        ))}
        <div className={ROW}>
          <dt>
            <i className="inline-block h-0.5 w-6 bg-load align-middle" />
            <span className="sr-only">Red line</span>
          </dt>
          <dd className="text-ink-2">The load line. Red is used for nothing else.</dd>
        </div>
      </dl>
      <h3 className="mt-4 text-12 font-semibold text-ink-2">What a colour stands for</h3>
      <dl>
        {(Object.keys(CATEGORY_WORDS) as Category[]).map((category) => (
          <div key={category} className={ROW}>
            <dt className="flex items-center gap-2 font-medium">
              <Swatch category={category} />
              {CATEGORY_NAMES[category]}
            </dt>
            <dd className="text-ink-2">{CATEGORY_WORDS[category]}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
