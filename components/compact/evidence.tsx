// How much of what the agent would need again the summary still names.
import type { CompactAnswer } from "#lib/wire/memory-schema.ts";
import { EVIDENCE, evidenceTotal } from "./compact-view.ts";

export function Evidence({ kept }: { kept: CompactAnswer["kept"] }) {
  const sum = evidenceTotal(kept);
  return (
    <section aria-label="Evidence kept">
      <h3 className="flex justify-between text-12 text-ink-2">
        Evidence kept
        <span className="font-medium text-ink tabular-nums">
          {sum.kept} of {sum.total}
        </span>
      </h3>
      <ul className="mt-1">
        {EVIDENCE.map(({ key, name }) => {
          const { kept: here, total } = kept[key];
          return (
            <li key={key} className="grid h-[22px] grid-cols-[92px_minmax(0,1fr)_52px] items-center gap-2 text-12">
              <span>{name}</span>
              <i className="h-1 rounded-[2px] bg-line" aria-hidden="true">
                <b
                  className="block h-1 rounded-[2px] bg-ink-2"
                  style={{ width: `${total === 0 ? 0 : (here / total) * 100}%` }}
                />
              </i>
              <span className="num text-ink-2">{total === 0 ? "–" : `${here}/${total}`}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
