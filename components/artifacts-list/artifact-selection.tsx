"use client";
// What can be done with the selected artifacts.
import { FlaskConical, GitCompareArrows, TextSearch, X } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import type { ArtifactRow } from "#lib/wire/artifacts-schema.ts";
import { useIsNode, useSeesAll } from "../ui/access-context.ts";
import { Button, buttonClass, IconButton } from "../ui/button.tsx";
import { formatCount } from "../ui/format.ts";
import type { Selection } from "../ui/use-selection.ts";

/** What the playground reads at once. */
const INPUTS = 16;

type ArtifactSelectionProps = { selection: Selection<ArtifactRow>; onSearch: () => void };

export function ArtifactSelection({ selection: { chosen, missing, clear }, onSearch }: ArtifactSelectionProps) {
  const [isNode, seesAll] = [useIsNode(), useSeesAll()];
  const rows = [...chosen.values()];
  const [a, b] = rows;
  const live = rows.filter(({ state }) => state === "live");
  const [first, ...rest] = live.map(({ pointer }) => pointer);
  const also = rest.length === 0 ? "" : `&also=${rest.map(encodeURIComponent).join(",")}`;
  return (
    <section
      aria-label="Selected artifacts"
      className="flex min-h-10 flex-none flex-wrap items-center gap-2 border-t border-line-strong bg-select px-6 py-1.5 max-md:px-4"
    >
      <output className="mr-2 font-medium">
        {formatCount(rows.length, "artifact")} selected
        {missing > 0 && <span className="font-normal text-ink-2">, {formatCount(missing, "row")} not loaded yet</span>}
      </output>
      {!isNode && (
        <Button small onClick={onSearch}>
          <TextSearch size={12} aria-hidden="true" />
          Search in contents
        </Button>
      )}
      <Action
        href={
          a !== undefined && b !== undefined && rows.length === 2
            ? `/artifacts/compare?${new URLSearchParams({ left: a.pointer, right: b.pointer })}`
            : null
        }
        why="Select two artifacts to compare"
      >
        <GitCompareArrows size={12} aria-hidden="true" />
        Compare
      </Action>
      {seesAll && (
        <Action
          href={
            first !== undefined && live.length <= INPUTS
              ? `/playground?artifact=${encodeURIComponent(first)}${also}`
              : null
          }
          why={first === undefined ? "They were deleted or expired" : `The playground reads at most ${INPUTS}`}
        >
          <FlaskConical size={12} aria-hidden="true" />
          Send to playground
        </Action>
      )}
      <span className="flex-1" />
      <IconButton label="Clear the selection" onClick={clear}>
        <X size={14} aria-hidden="true" />
      </IconButton>
    </section>
  );
}

/** A link; without one a button that says why. */
function Action({ href, why, children }: { href: string | null; why: string; children: ReactNode }) {
  if (href === null)
    return (
      <Button small disabled title={why}>
        {children}
      </Button>
    );
  return (
    <Link prefetch={false} className={buttonClass("plain", true)} href={href}>
      {children}
    </Link>
  );
}
