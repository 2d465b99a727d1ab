"use client";
import type { SourcesAnswer } from "#lib/wire/sources-schema.ts";
import { loadDemo } from "../shared/import-state.ts";
import { useSources } from "../shared/server-status.ts";
import { useSeesAll } from "../ui/access-context.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { useImportProgress } from "../ui/live.tsx";
import { Loading } from "../ui/loading.tsx";
import { SafeText } from "../ui/safe-text.tsx";

/** Nothing yet: what was looked for and where, and three ways on. */
export function NoSessions({ onAdd }: { onAdd: () => void }) {
  const { data } = useSources();
  const seesAll = useSeesAll();
  const progress = useImportProgress() ?? data?.import;
  if (progress?.state === "running") return <Loading rows={10} height={48} label="Reading sessions" />;
  const roots = data?.roots ?? [];
  if (!seesAll)
    return (
      <div className="mx-auto max-w-140 pt-10">
        <Empty title="No sessions yet">No session was sent to your projects.</Empty>
      </div>
    );
  return (
    <div className="mx-auto max-w-140 pt-10">
      <Empty
        drop
        title="No sessions yet"
        actions={
          <>
            <Button onClick={onAdd}>Watch folder…</Button>
            <Button kind="primary" onClick={() => void loadDemo()}>
              Load the demo
            </Button>
          </>
        }
      >
        {roots.length > 0 && <Searched roots={roots} />}
        <p>Drop session files here, or watch a folder. The demo is a scripted session whose prompt was refused.</p>
      </Empty>
    </div>
  );
}

/** Where session files were looked for, and what was found in each location. */
function Searched({ roots }: { roots: SourcesAnswer["roots"] }) {
  return (
    <>
      <p className="mb-1">Looked for session files in:</p>
      {/* The buttons below it stay in view; who uses the keyboard can scroll it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a list that scrolls takes the focus */}
      <ul aria-label="Searched folders" tabIndex={0} className="mb-3 max-h-68 overflow-y-auto text-left">
        {roots.map((root) => (
          <li key={root.path} className="flex flex-wrap items-baseline gap-x-3 border-b border-line py-1">
            <span className="mono min-w-0 flex-auto wrap-anywhere text-ink">
              <SafeText text={root.label} />
            </span>
            {root.format !== null && <span>{root.format}</span>}
            <span className="text-ink-3">{root.exists ? "no session files in it" : "not found"}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
