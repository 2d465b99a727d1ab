"use client";
import type { SourcesAnswer } from "#lib/wire/sources-schema.ts";
import { formatBytes, formatCount } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { shownText } from "#lib/kernel/hidden-text.ts";

type UnmatchedFoldersProps = {
  unmatched: SourcesAnswer["unmatched"];
  formats: SourcesAnswer["formats"];
};

const ENDINGS = 4;

/** Files in searched folders that no format matches: how many, which, and what was looked for. */
export function UnmatchedFolders({ unmatched, formats }: UnmatchedFoldersProps) {
  return (
    <section aria-label="Files without a format" className="flex-none px-6 pt-3 max-md:px-4">
      <details open>
        <summary className="cursor-pointer text-12 font-medium text-ink-2">
          No session format matches: {foldersOf(unmatched)}
        </summary>
        <ul className="mt-1">
          {unmatched.map((folder) => (
            <li key={folder.path} className="border-b border-line py-1">
              <span className="mono break-all">
                <SafeText text={folder.path} />
              </span>{" "}
              <span className="text-ink-2">
                {formatCount(folder.files, "file")}, {formatBytes(folder.bytes)}
              </span>
              <span className="block text-12 text-ink-3">
                {folder.groups.slice(0, ENDINGS).map((group) => (
                  <span
                    key={group.ending}
                    className="mr-4 inline-block max-w-full truncate align-bottom"
                    title={shownText(group.names.join("\n"))}
                  >
                    {group.files.toLocaleString("en-US")} {group.ending === "" ? "without ending" : group.ending}:{" "}
                    <SafeText text={group.names[0] ?? ""} />
                    {group.files > 1 && " …"}
                  </span>
                ))}
                {folder.groups.length > ENDINGS && `and ${folder.groups.length - ENDINGS} other endings`}
              </span>
            </li>
          ))}
        </ul>
        <details className="mt-1">
          <summary className="cursor-pointer text-12 text-ink-2">Formats looked for ({formats.length})</summary>
          <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-4 text-12">
            {formats.map(({ id, label, signs }) => (
              <div key={id} className="contents">
                <dt className="text-ink-2">{label}</dt>
                <dd className="text-ink-3">{signs}</dd>
              </div>
            ))}
          </dl>
        </details>
      </details>
    </section>
  );
}

const foldersOf = (unmatched: SourcesAnswer["unmatched"]): string => {
  const files = unmatched.reduce((sum, folder) => sum + folder.files, 0);
  return `${formatCount(files, "file")} in ${formatCount(unmatched.length, "folder")}`;
};
