"use client";
// What can be asked, where nothing is asked yet: examples that run when they are clicked, and the fields.
import { SEARCH_FIELDS } from "#lib/kernel/search/search-fields.ts";
import { SavedSearches } from "./saved-search-list.tsx";

const EXAMPLES = [
  { q: "is:error tool:Bash after:7d", about: "failed commands of this week" },
  { q: '"no such file"', about: "these words in this order" },
  { q: "type:user migration", about: "prompts about migrations" },
  { q: "tokens:>5k type:result", about: "large tool results" },
  { q: "file:package.json", about: "calls that read or wrote a file" },
  { q: String.raw`/ECONN\w+/ is:error`, about: "a regular expression, in errors" },
];

export function SearchHelp({ onPick }: { onPick: (q: string) => void }) {
  return (
    <div className="grid min-h-0 flex-1 content-start gap-x-10 gap-y-5 overflow-auto px-6 py-5 max-md:px-4 lg:grid-cols-2">
      <div className="lg:col-span-2 empty:hidden">
        <SavedSearches onPick={onPick} />
      </div>
      <section aria-label="Examples">
        <h2 className="text-13 font-semibold">Examples</h2>
        <ul className="mt-1">
          {EXAMPLES.map(({ q, about }) => (
            <li key={q}>
              <button
                type="button"
                onClick={() => onPick(q)}
                className="flex min-h-8 w-full flex-wrap items-baseline gap-x-3 rounded-1 px-2 py-1 text-left hover:bg-sunk"
              >
                <span className="mono">{q}</span>
                <span className="text-12 text-ink-2">{about}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
      <section aria-label="Fields">
        <h2 className="text-13 font-semibold">Fields</h2>
        <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 px-2 text-12">
          {SEARCH_FIELDS.map(({ name, about, example }) => (
            <div key={name} className="contents">
              <dt className="mono">{example}</dt>
              <dd className="text-ink-2">{about}</dd>
            </div>
          ))}
        </dl>
        <p className="mt-3 px-2 text-12 text-ink-2">
          A minus sign leaves out: -word, -tool:Read. A star ends a prefix: comp*
        </p>
      </section>
    </div>
  );
}
