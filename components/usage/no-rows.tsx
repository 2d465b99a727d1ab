"use client";
// A view of usage that has no row: of an archive without sessions, or of the time that is shown.
import { useHasSessions } from "../shared/server-status.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { NoSessionsYet } from "../shared/no-sessions-yet.tsx";
import type { Range } from "./usage-state.ts";

/** `onAll` shows all time. */
export type OwnViewProps = { readonly range: Range; readonly onAll: () => void };

type NoRowsProps = OwnViewProps & {
  title: string;
  /** Where it was looked. */
  looked: string;
  /** What the view will show. */
  about: string;
};

export function NoRows({ title, looked, about, range, onAll }: NoRowsProps) {
  const hasSessions = useHasSessions();
  return (
    <div className="mx-auto max-w-140 pt-10">
      {!hasSessions ? (
        <NoSessionsYet>{about}</NoSessionsYet>
      ) : (
        <Empty title={title} actions={range === "all" ? undefined : <Button onClick={onAll}>Show all time</Button>}>
          {looked}
        </Empty>
      )}
    </div>
  );
}
