"use client";
import type { SourcesAnswer } from "#lib/wire/sources-schema.ts";
import { loadDemo } from "../shared/import-state.ts";
import { useSources } from "../shared/server-status.ts";
import { useSeesAll } from "../ui/access-context.ts";
import { Button } from "../ui/button.tsx";
import { formatCount } from "../ui/format.ts";
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

/** Whose sessions were looked for. A folder that is there is named at once; most of the others are of agents that nobody has here. */
function Searched({ roots }: { roots: SourcesAnswer["roots"] }) {
  const agents = [...new Set(roots.flatMap(({ formatLabel }) => formatLabel ?? []))];
  const [there, absent] = [roots.filter(({ exists }) => exists), roots.filter(({ exists }) => !exists)];
  return (
    <>
      {agents.length > 0 && <p className="mb-1">Looked for sessions of {listed(agents)}.</p>}
      {there.length > 0 && (
        <>
          <p>No session files in:</p>
          <Folders roots={there} label="Folders without sessions" />
        </>
      )}
      {absent.length > 0 && (
        <details className="mb-1">
          <summary className="cursor-pointer text-ink-3 hover:text-ink">
            {formatCount(absent.length, "searched folder is", "searched folders are")} not on this machine
          </summary>
          <Folders roots={absent} label="Missing folders" />
        </details>
      )}
    </>
  );
}

function Folders({ roots, label }: { roots: SourcesAnswer["roots"]; label: string }) {
  return (
    <ul aria-label={label} className="mb-2 text-left">
      {roots.map((root) => (
        <li key={root.path} className="flex flex-wrap items-baseline gap-x-3 border-b border-line py-1">
          <span className="mono min-w-0 flex-auto wrap-anywhere text-ink">
            <SafeText text={root.label} />
          </span>
          {root.formatLabel !== null && <span>{root.formatLabel}</span>}
        </li>
      ))}
    </ul>
  );
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
