"use client";
// Worked examples. One that is picked brings its program and its own small input, in place of what stood there.
import { useDeferredValue, useState } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { CHEAT_GROUPS, CHEAT_SHEET, type CheatEntry } from "#lib/kernel/jq/cheat-sheet.ts";

type CheatLayerProps = {
  /** An artifact is being asked: the program alone may be wanted for it. */
  hasArtifact: boolean;
  onPick: (example: CheatEntry, withInput: boolean) => void;
  onClose: () => void;
};

export function CheatLayer({ hasArtifact, onPick, onClose }: CheatLayerProps) {
  const [words, setWords] = useState("");
  const wanted = useDeferredValue(words.trim().toLowerCase());
  const found = CHEAT_SHEET.filter(({ title, about, program }) =>
    `${title} ${about} ${program}`.toLowerCase().includes(wanted),
  );
  const pick = (example: CheatEntry, withInput: boolean) => {
    onPick(example, withInput);
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title="Cheat sheet" width={820}>
      <SearchField
        label="Search in the examples"
        group="Playground"
        value={words}
        onChange={setWords}
        found={wanted === "" ? null : String(found.length)}
      />
      <p className="mt-2 text-12 text-ink-2">
        An example brings its program and its own small input.
        {hasArtifact && " “Program alone” keeps your current input."}
      </p>
      {CHEAT_GROUPS.filter((group) => found.some((one) => one.group === group)).map((group) => (
        <section key={group} aria-label={group} className="mt-4">
          <h3 className="border-b border-line pb-1 text-13 font-semibold">{group}</h3>
          <ul>
            {found
              .filter((one) => one.group === group)
              .map((example) => (
                <li key={example.title} className="flex items-start border-b border-line hover:bg-sunk">
                  <button
                    type="button"
                    onClick={() => pick(example, true)}
                    className="grid min-w-0 flex-1 grid-cols-[minmax(0,4fr)_minmax(0,6fr)] gap-x-4 px-1 py-1.5 text-left focus-visible:-outline-offset-2 max-md:grid-cols-1"
                  >
                    <span>
                      <span className="block font-medium">{example.title}</span>
                      <span className="block text-12 text-ink-3">{example.about}</span>
                    </span>
                    <code className="mono min-w-0 break-words whitespace-pre-wrap text-ink-2">{example.program}</code>
                  </button>
                  {hasArtifact && (
                    <button
                      type="button"
                      aria-label={`${example.title}: program alone`}
                      onClick={() => pick(example, false)}
                      className="link flex-none px-2 py-1.5 text-12"
                    >
                      Program alone
                    </button>
                  )}
                </li>
              ))}
          </ul>
        </section>
      ))}
      {found.length === 0 && <p className="mt-3 text-12 text-ink-3">No example has these words.</p>}
    </Dialog>
  );
}
