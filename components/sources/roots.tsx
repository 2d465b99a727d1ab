"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { SourcesAnswer } from "#lib/wire/sources-schema.ts";
import { LiveDot } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatBytes, formatTokens } from "../ui/format.ts";
import { columnNames } from "../ui/column-names.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { ArchivedToggle } from "./archived-toggle.tsx";
import { removeFolder } from "./actions.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";

type Root = SourcesAnswer["roots"][number];

const FROM: Record<string, string> = {
  default: "default folder",
  environment: "the environment",
  named: "named at the start",
  added: "added here",
};

/** An agent that is not on this machine: its folder is looked for, and says nothing to a person. */
const isAbsent = (root: Root): boolean => root.from === "default" && !root.exists && root.files === 0;

/** The folders that are looked in: where each comes from, and whether it is watched. Of some thirty default ones most are absent. */
export function Roots({ roots }: { roots: readonly Root[] }) {
  const [isAll, setAll] = useState(false);
  const absent = roots.filter(isAbsent).length;
  const shown = isAll ? roots : roots.filter((root) => !isAbsent(root));
  const queries = useQueryClient();
  const removal = useMutation({
    mutationFn: removeFolder,
    onSettled: () => queries.invalidateQueries({ queryKey: ["sources"] }),
  });
  return (
    <section aria-label="Folders that are watched" className="flex-none px-6 pt-3 max-md:px-4">
      <div className={`relative max-h-80 overflow-auto ${shown.length === 0 ? "hidden" : ""}`}>
        <table
          aria-label="Folders"
          className="stacks w-full min-w-170 table-fixed border-separate border-spacing-0"
          style={columnNames(["", "Known from", "Format", "Files", "Size", "Reset and deleted", "State", ""])}
        >
          <thead>
            <tr className="text-12 text-ink-3">
              <Head>Folder</Head>
              <Head width="w-36 max-lg:hidden">Known from</Head>
              <Head width="w-28 max-lg:hidden">Format</Head>
              <Head width="w-20" number>
                Files
              </Head>
              <Head width="w-24" number>
                Size
              </Head>
              <Head width="w-36">Reset and deleted</Head>
              <Head width="w-28">State</Head>
              <Head width="w-24">
                <span className="sr-only">Remove</span>
              </Head>
            </tr>
          </thead>
          <tbody>
            {shown.map((root) => (
              <tr
                key={root.path}
                className="group [&>td]:h-8 [&>td]:truncate [&>td]:border-b [&>td]:border-line [&>td]:px-2"
              >
                <td className="mono pl-0! group-hover:bg-sunk" title={shownText(root.path)}>
                  <SafeText text={root.label} />
                </td>
                <td className="text-ink-2 group-hover:bg-sunk max-lg:hidden">{FROM[root.from] ?? root.from}</td>
                <td className="text-ink-2 group-hover:bg-sunk max-lg:hidden">{root.formatLabel ?? "any"}</td>
                <td className="num group-hover:bg-sunk">{formatTokens(root.files)}</td>
                <td className="num group-hover:bg-sunk">{formatBytes(root.bytes)}</td>
                <td className="group-hover:bg-sunk">
                  <ArchivedToggle root={root} />
                </td>
                <td className="group-hover:bg-sunk">
                  <RootState root={root} />
                </td>
                <td className="pr-0! text-right group-hover:bg-sunk">
                  {root.from === "added" && (
                    <Button
                      small
                      kind="quiet"
                      disabled={removal.isPending}
                      title={
                        removal.isPending
                          ? "Another folder is being removed"
                          : "No longer watch it; what was read stays"
                      }
                      onClick={() => removal.mutate(root.path)}
                    >
                      Remove
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {absent > 0 && (
        <p className="pt-2 text-12 text-ink-3">
          {absent} default {absent === 1 ? "folder is" : "folders are"} not on this machine.{" "}
          <Button small kind="quiet" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? "Hide them" : "Show them"}
          </Button>
        </p>
      )}
      {removal.error !== null && (
        <div className="pt-2">
          <RequestFailure error={removal.error} title="The folder was not removed" />
        </div>
      )}
    </section>
  );
}

function RootState({ root }: { root: Root }) {
  if (!root.exists) return <span className="text-ink-3">missing</span>;
  if (!root.watching) return <span className="text-ink-2">read once</span>;
  return (
    <span className="inline-flex items-center gap-2 pl-1">
      <LiveDot /> watching
    </span>
  );
}

function Head({
  children,
  width = "",
  number = false,
}: {
  children: React.ReactNode;
  width?: string;
  number?: boolean;
}) {
  return (
    <th
      scope="col"
      className={`h-7 border-b border-line-strong px-2 font-medium first:pl-0 last:pr-0 ${width} ${number ? "text-right" : "text-left"}`}
    >
      {children}
    </th>
  );
}
