"use client";
import { loadDemo } from "../shared/import-state.ts";
import { useSources } from "../shared/server-status.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { useImportProgress } from "../ui/live.tsx";
import { Loading } from "../ui/loading.tsx";

/** Nothing yet: what was looked for and where, and three ways on. */
export function NoSessions({ onAdd }: { onAdd: () => void }) {
  const { data } = useSources();
  const progress = useImportProgress() ?? data?.import;
  if (progress?.state === "running") return <Loading rows={10} height={48} label="Reading sessions" />;
  const roots = data?.roots ?? [];
  return (
    <div className="mx-auto max-w-140 pt-10">
      <Empty
        drop
        title="No sessions yet"
        actions={
          <>
            <Button onClick={onAdd}>Add a folder</Button>
            <Button kind="primary" onClick={() => void loadDemo()}>
              Load the demo
            </Button>
          </>
        }
      >
        {roots.length > 0 && (
          <ul className="mb-2">
            {roots.map((root) => (
              <li key={root.path}>
                <span className="mono">{root.label}</span>
                {root.exists ? ": no session files in it" : ": not there"}
              </li>
            ))}
          </ul>
        )}
        <p>
          Drop session files anywhere on this page, or add a folder. The demo is a session whose prompt was refused,
          made by a scripted agent, with no private data.
        </p>
      </Empty>
    </div>
  );
}
