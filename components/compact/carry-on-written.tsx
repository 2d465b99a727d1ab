"use client";
// After the file was written: the command, the session that goes on, what was predicted and what came, and the way back.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import type { CarryOnRow } from "#lib/wire/carry-on-schema.ts";
import { carryOnsQuery, takeBackCarryOn } from "../shared/carry-on-queries.ts";
import { Badge } from "../ui/badge.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatBytes } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { Fact } from "./carry-on-plan.tsx";
import { useCompactState } from "./compact-state.ts";

export function CarryOnWritten({ session, id }: { session: string; id: string }) {
  const [, choose] = useCompactState();
  const list = useQuery(carryOnsQuery(session));
  const row = list.data?.rows.find((one) => one.id === id);
  const again = <Button onClick={() => void choose({ written: null })}>Plan another</Button>;
  if (list.error !== null)
    return (
      <div className="px-6 py-4">
        <RequestFailure error={list.error} title="This continuation cannot be shown" action={again} />
      </div>
    );
  if (list.data === undefined)
    return (
      <div className="px-6 py-4">
        <Loading rows={6} label="Loading the continuation" />
      </div>
    );
  if (row === undefined)
    return (
      <div className="px-6 py-4">
        <p className="verdict">
          <b>No such continuation of this session.</b>
        </p>
        <div className="mt-3">{again}</div>
      </div>
    );
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-6 py-4" data-testid="carry-on-written">
      <div className="max-w-220">
        {row.takenBackAt === null ? <Command row={row} /> : <TakenBack row={row} />}
        <dl className="mt-4 border-t border-line">
          <Fact name="File">
            <span className="mono min-w-0 wrap-anywhere">
              <SafeText text={row.path} />
            </span>
            <span className="flex-none text-12 text-ink-3">{formatBytes(row.sizeBytes)}</span>
          </Fact>
          <Fact name="Written">
            <When ts={row.writtenAt} />
          </Fact>
          {row.takenBackAt === null && <Session row={row} />}
          <Prompt row={row} />
        </dl>
        <div className="mt-4 flex flex-wrap items-center gap-2">
          {row.takenBackAt === null && <TakeBack row={row} />}
          {again}
        </div>
      </div>
    </div>
  );
}

function Command({ row }: { row: CarryOnRow }) {
  return (
    <>
      <p className="verdict">
        <b>Written.</b> Run this command to go on.
      </p>
      <div className="mt-3 flex flex-wrap items-center gap-2 rounded-2 border border-line-strong bg-raised py-1.5 pr-2 pl-3">
        <code className="mono min-w-0 flex-1 wrap-anywhere" data-testid="resume-command">
          <SafeText text={row.command} />
        </code>
        <CopyButton text={() => row.command}>Copy command</CopyButton>
      </div>
    </>
  );
}

const TakenBack = ({ row }: { row: CarryOnRow }) => (
  <p className="verdict">
    <b>Taken back.</b> The new file was removed <When ts={row.takenBackAt!} />; the original is unchanged.
  </p>
);

const Session = ({ row }: { row: CarryOnRow }) => (
  <Fact name="Continuation">
    {row.session.isImported ? (
      <Link prefetch={false} className="link" href={`/sessions/${row.session.id}`}>
        Open the continuation
      </Link>
    ) : (
      <>
        <Badge tone="live">waiting</Badge>
        <span className="text-ink-2">It appears once its file is imported from a watched folder.</span>
      </>
    )}
  </Fact>
);

const Prompt = ({ row: { tokens, takenBackAt } }: { row: CarryOnRow }) => (
  <Fact name="First call">
    <span>
      predicted <Num value={tokens.predicted} origin="estimated" />
      {tokens.real !== null && (
        <>
          , real <Num value={tokens.real} origin="reported" />
        </>
      )}
    </span>
    {tokens.real !== null && tokens.entered !== null && tokens.entered > 0 && (
      <span className="text-12 text-ink-3">
        of it <Num value={tokens.entered} origin="estimated" /> typed or announced since
      </span>
    )}
    {tokens.real === null && takenBackAt === null && (
      <span className="text-12 text-ink-3">The real prompt follows with the first call.</span>
    )}
  </Fact>
);

/** Only a file that is what was written goes; the server compares its bytes. */
function TakeBack({ row }: { row: CarryOnRow }) {
  const queries = useQueryClient();
  const takeBack = useMutation({
    mutationFn: () => takeBackCarryOn(row.id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["sessions"] }),
  });
  if (row.tokens.real !== null)
    return (
      <p className="basis-full text-ink-2" data-testid="no-take-back">
        It can no longer be taken back: the agent has written to the file.
      </p>
    );
  return (
    <>
      {takeBack.error !== null && (
        <div className="basis-full">
          <RequestFailure error={takeBack.error} title="Not taken back" />
        </div>
      )}
      <button
        type="button"
        className={buttonClass("plain")}
        disabled={takeBack.isPending}
        title={takeBack.isPending ? "Removing the file" : "Removes the new file, while its bytes are what was written"}
        onClick={() => takeBack.mutate()}
      >
        Take back
      </button>
    </>
  );
}
