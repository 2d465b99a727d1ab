import Link from "next/link";
import type { SearchHit } from "#lib/wire/search-schema.ts";
import { projectName } from "../sessions/session-table-rows.ts";
import { Badge } from "../ui/badge.tsx";
import { Hits, SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { hitHref, kindLabel } from "./result-links.ts";

/** One result: where it stands, the text around it, and the session. */
export function SearchResult({ hit }: { hit: SearchHit }) {
  const { session, kind, tool, at, isError, line, snippet } = hit;
  return (
    <li className="border-b border-line">
      <Link
        prefetch={false}
        data-hit
        href={hitHref(hit)}
        className="block px-4 py-2.5 hover:bg-sunk focus-visible:-outline-offset-2 md:px-6"
      >
        <span className="flex min-w-0 items-center gap-2 text-12 text-ink-2">
          <Badge>{kindLabel(kind)}</Badge>
          {tool !== null && (
            <span className="min-w-0 truncate font-medium text-ink">
              <SafeText text={tool} />
            </span>
          )}
          {line !== null && <span className="flex-none">line {line.toLocaleString("en-US")}</span>}
          {isError && <Badge tone="error">error</Badge>}
          <span className="flex-1" />
          <span className="flex-none text-ink-3">
            <When ts={at} />
          </span>
        </span>
        <span className="mt-1 line-clamp-3 text-13 break-words [&>bdi[dir=rtl]]:block">
          <Hits text={snippet} />
        </span>
        <span className="mt-1 flex min-w-0 text-12 text-ink-3">
          <span className="min-w-0 truncate">
            <SafeText text={session.title || "Untitled session"} />
          </span>
          {/* A long title leaves room for agent and project. */}
          <span className="max-w-3/5 flex-none truncate whitespace-pre">
            {` · ${session.agent}`}
            {session.project !== null && (
              <>
                {" · "}
                <SafeText text={projectName(session.project)} />
              </>
            )}
          </span>
        </span>
      </Link>
    </li>
  );
}
