"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { FolderPlus, Link2, Send } from "lucide-react";
import { useCallback, useState, type ReactNode } from "react";
import { sourcesAnswer, type SourcesAnswer } from "#lib/wire/sources-schema.ts";
import { useSources } from "../shared/server-status.ts";
import { useIsNode, useRunsServer } from "../ui/access-context.ts";
import { api, withQuery } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { Empty } from "../ui/empty.tsx";
import { Facet } from "../ui/facet.tsx";
import { formatBytes, formatCount, formatTokens } from "../ui/format.ts";
import { PageHead } from "../ui/page-head.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { whenTyped } from "../ui/typed.ts";
import { Segmented } from "../ui/segmented.tsx";
import { AttachedFolders } from "./attached.tsx";
import { questionOf, sourceParsers, STATUSES } from "./source-filters.ts";
import { FilesTable } from "./files-table.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import { ProblemsTable } from "./problems-table.tsx";
import { Proxies } from "./proxies.tsx";
import { TelemetrySources } from "./telemetry-sources.tsx";
import { Sending, SendingDialog } from "./sending.tsx";
import { Roots } from "./roots.tsx";
import { UnmatchedFolders } from "./unmatched-folders.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { fetched } from "../ui/fetched.tsx";

const STATUS_WORDS = {
  ok: "read",
  "older copy": "older copy of another",
  "earlier version": "earlier version of a file",
  gone: "deleted, kept here",
  soon: "deleted within 7 days",
  failed: "could not be read",
  skipped: "left out",
} as const;
const STATES = [...STATUSES, "soon"] as const;

export function SourcesPage() {
  const { data } = useSources();
  const listed = useListed(data);
  const runsServer = useRunsServer();
  const [asking, setAsking] = useState<"import" | "attach" | "send" | null>(null);
  const [choices, choose] = useQueryStates(sourceParsers, { history: "push" });
  const showProblems = useCallback((path: string) => void choose({ tab: "problems", path }), [choose]);
  const inFiles = choices.tab === "files";
  return (
    <>
      <PageHead
        title="Sources"
        aside={
          <span className="flex flex-wrap justify-end gap-2 max-[720px]:justify-start">
            <Button
              title="The memory folder of an agent, as a session that can be compacted"
              onClick={() => setAsking("attach")}
            >
              <Link2 size={13} aria-hidden="true" />
              Connect agent memory…
            </Button>
            {runsServer && (
              <Button title="Share sessions with a team’s Plimsoll" onClick={() => setAsking("send")}>
                <Send size={13} aria-hidden="true" />
                Send to fleet…
              </Button>
            )}
            <Button onClick={() => setAsking("import")}>
              <FolderPlus size={13} aria-hidden="true" />
              Watch folder…
            </Button>
          </span>
        }
      >
        {listed ? <Totals answer={listed} /> : <>&nbsp;</>}
      </PageHead>
      {data && <Roots roots={data.roots} />}
      {runsServer && <Sending onChange={() => setAsking("send")} />}
      {data && data.proxies.length > 0 && <Proxies proxies={data.proxies} />}
      {data && data.telemetry.length > 0 && <TelemetrySources telemetry={data.telemetry} />}
      {data && data.unmatched.length > 0 && <UnmatchedFolders unmatched={data.unmatched} formats={data.formats} />}
      <AttachedFolders />
      {data !== undefined && data.total === 0 && data.problems === 0 ? (
        <NoFiles />
      ) : (
        <>
          <div className="flex flex-none flex-wrap items-center gap-2 px-6 pt-4 pb-2 max-md:px-4">
            <Segmented
              label="What is listed"
              value={choices.tab}
              options={[
                { value: "files", label: listed ? `Files ${listed.total.toLocaleString("en-US")}` : "Files" },
                { value: "problems", label: data ? `Problems ${data.problems.toLocaleString("en-US")}` : "Problems" },
              ]}
              onPick={(tab) => void choose({ tab, path: null })}
            />
            {inFiles ? (
              <Facet
                name="State"
                value={choices.status}
                options={STATES.map((value) => ({ value, label: STATUS_WORDS[value] }))}
                onPick={(status) => void choose({ status: STATES.find((known) => known === status) ?? null })}
              />
            ) : (
              choices.path !== null && (
                <Chip on hint={<OneFile path={choices.path} />} onClear={() => void choose({ path: null })}>
                  File
                </Chip>
              )
            )}
            <span className="flex-1" />
            {inFiles && (
              <SearchField
                label="Search in file paths"
                group="Sources"
                value={choices.q}
                onChange={(q) => void choose({ q }, whenTyped(q))}
                found={choices.q.trim() === "" || !listed ? null : formatCount(listed.total, "file")}
              />
            )}
          </div>
          {inFiles ? (
            <FilesTable question={questionOf(choices)} onProblems={showProblems} />
          ) : (
            <ProblemsTable path={choices.path} onFile={showProblems} />
          )}
        </>
      )}
      {asking === "import" && <ImportDialog onClose={() => setAsking(null)} />}
      {asking === "attach" && <AttachDialog onClose={() => setAsking(null)} />}
      {asking === "send" && <SendingDialog onClose={() => setAsking(null)} />}
    </>
  );
}

/** Before the first file: where they come from. */
function NoFiles() {
  return (
    <div className="mx-auto max-w-140 px-6 pt-10">
      <Empty drop title="No session files yet">
        Drop session files here, or watch a folder. Each file is listed with its problems.
      </Empty>
    </div>
  );
}

/** The sums over the files that the filters leave. */
function useListed(all: SourcesAnswer | undefined): SourcesAnswer | undefined {
  const [choices] = useQueryStates(sourceParsers);
  const question = questionOf(choices);
  const isFiltered =
    choices.tab === "files" && (question.q !== "" || question.status !== null || question.within !== null);
  const { data } = useQuery({
    queryKey: ["sources", "sums", question],
    queryFn: ({ signal }) => api(withQuery("/api/sources", { ...question, limit: 1 }), sourcesAnswer, { signal }),
    placeholderData: keepPreviousData,
    enabled: isFiltered,
  });
  return isFiltered ? data : all;
}

function OneFile({ path }: { path: string }): ReactNode {
  return (
    <span className="inline-block max-w-80 truncate align-bottom" title={shownText(path)}>
      <SafeText text={path.split("/").at(-1) ?? ""} />
    </span>
  );
}

function Totals({ answer }: { answer: SourcesAnswer }) {
  const isNode = useIsNode();
  if (answer.total === 0) return "No session files were read yet.";
  const read = `${formatBytes(answer.totalBytes)} in ${formatCount(answer.total, "file")}${fromWords(answer, isNode)}.`;
  if (answer.failed === 0 && answer.problems === 0) return `${read} All of them were read.`;
  const failed = answer.failed === 0 ? "" : ` ${formatCount(answer.failed, "file")} could not be read.`;
  const problems =
    answer.problems === 0 ? "" : ` ${formatCount(answer.problems, "problem")} listed with file, line and bytes.`;
  return `${read}${failed}${problems}`;
}

/** Where the files are from: folders that are read, or imports by hand; at a node those that it fetched, too. */
function fromWords({ total, inRoots: { roots, files } }: SourcesAnswer, isNode: boolean): string {
  if (total === 0) return "";
  const others = isNode ? "from the fleet" : "imported by hand";
  if (files === 0) return `, ${others}`;
  const sources = formatCount(roots, "source");
  if (files === total) return ` of ${sources}`;
  return `: ${formatTokens(files)} of ${sources}, ${formatTokens(total - files)} ${others}`;
}

const AttachDialog = fetched(() => import("./attach-layer.tsx").then((module) => module.AttachLayer));
