"use client";
import Link from "next/link";
import type { BoundName } from "#lib/wire/artifact-history-schema.ts";
import { artifactPath } from "../shared/session-queries.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { AsideSection } from "./aside-section.tsx";

/** The names that lead here, and what had them before or has them now. */
export function Names({ names }: { names: readonly BoundName[] }) {
  if (names.length === 0) return null;
  const own = [...new Set(names.map(({ name }) => name))];
  return (
    <AsideSection title={own.length === 1 ? "Name" : "Names"}>
      {own.map((name) => (
        <div key={name} className="mt-1 first:mt-0">
          <div className="max-h-24 overflow-y-auto break-all text-ink">
            <SafeText text={name} badge />
          </div>
          <ul>
            {names
              .filter((bound) => bound.name === name)
              .map((bound) => (
                <li key={`${bound.pointer} ${bound.boundAt}`} className="flex gap-2">
                  <span className="flex-1">
                    {bound.isThis ? (
                      <span className="text-ink">this artifact</span>
                    ) : (
                      <Link className="link" href={artifactPath(bound.pointer)}>
                        {bound.isCurrent ? "a later artifact" : "another artifact"}
                      </Link>
                    )}
                    {bound.isCurrent && <span className="text-ink-3">, found by it now</span>}
                  </span>
                  <span className="text-ink-3">
                    <When ts={bound.boundAt} />
                  </span>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </AsideSection>
  );
}
