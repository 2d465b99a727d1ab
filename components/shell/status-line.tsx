"use client";
import Link from "next/link";
import { useIsNode } from "../ui/access-context.ts";
import { Button } from "../ui/button.tsx";
import { formatBytes, formatCount, formatTokens } from "../ui/format.ts";
import { Progress } from "../ui/gauge.tsx";
import { useImportProgress } from "../ui/live.tsx";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { cancelImport, retryImport } from "../shared/import-state.ts";
import { useSessionCounts, useSources } from "../shared/server-status.ts";

/** The line at the foot: what was read, what could not be, and what is being read now. */
export function StatusLine() {
  const { data: sources } = useSources();
  const { data: counts } = useSessionCounts();
  const isNode = useIsNode();
  return (
    <footer className="flex h-8 flex-none items-center gap-3 overflow-hidden border-t border-line px-6 text-12 whitespace-nowrap text-ink-3 max-md:px-4">
      <span>
        {[
          counts && formatCount(counts.all, "session"),
          sources &&
            `${formatBytes(sources.totalBytes)} in ${formatCount(sources.total, "file")}${isNode ? " on this node" : ""}`,
        ]
          .filter(Boolean)
          .join(", ")}
      </span>
      {sources && sources.failed > 0 && (
        <>
          <i className="size-[3px] flex-none rounded-full bg-line-strong" />
          <Link href="/sources?status=failed" className="link">
            {formatCount(sources.failed, "file")} could not be read
          </Link>
        </>
      )}
      <span className="flex-1" />
      <RunningImport />
    </footer>
  );
}

function RunningImport() {
  const { data: sources } = useSources();
  const heard = useImportProgress();
  const progress = heard ?? sources?.import;
  if (!progress) return null;
  const isUpdate = progress.kind === "read-again";
  if (progress.state === "failed") {
    const why = progress.reason ?? "no reason given";
    return (
      <>
        <span role="alert" className="truncate text-ink-2" title={shownText(why)}>
          {isUpdate ? "The update" : "The import"} stopped: <SafeText text={why} />
        </span>
        {!isUpdate && (
          <Button kind="quiet" small onClick={() => void retryImport(progress.id)}>
            Retry
          </Button>
        )}
      </>
    );
  }
  if (progress.state !== "running") return null;
  const byBytes = progress.bytes > 0;
  return (
    <>
      {progress.current !== null && (
        <span className="min-w-0 truncate max-md:hidden">
          {isUpdate ? "Updating" : "Reading"}{" "}
          <span className="text-ink-2">
            <SafeText text={shortPath(progress.current)} />
          </span>
        </span>
      )}
      <Progress
        done={byBytes ? progress.bytesDone : progress.filesDone}
        of={byBytes ? progress.bytes : progress.files}
        label="Import"
      />
      <span className="tabular-nums">
        {formatTokens(progress.filesDone)} of {formatCount(progress.files, "file")}
      </span>
      <Button kind="quiet" small onClick={() => void cancelImport(progress.id)}>
        Cancel
      </Button>
    </>
  );
}

/** The last two parts of a path: where a file is, without the whole way there. */
const shortPath = (path: string): string => path.replace(/^.+(?=(?:\/[^/]+){2}$)/u, "…");
