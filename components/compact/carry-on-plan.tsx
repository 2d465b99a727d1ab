"use client";
// Carry on, or fork: the new session file as it would be, and the button that writes it. Fetched when it is first opened.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import type { CarryOnAnswer, CarryOnPlan } from "#lib/wire/carry-on-schema.ts";
import { carryOnPlanQuery, writeCarryOn, type CarryOnChoice } from "../shared/carry-on-queries.ts";
import { failureOf } from "../ui/api.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Failure, RequestFailure } from "../ui/failure.tsx";
import { TextInput } from "../ui/field.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { CarryOnLines } from "./carry-on-lines.tsx";
import { useCompactState } from "./compact-state.ts";
import type { CompactTarget } from "./compact-target.ts";

type PlanProps = {
  target: CompactTarget;
  /** Null while there is no summary to carry on with. */
  request: CarryOnChoice | null;
};

const usePlan = ({ target, request }: PlanProps) =>
  useQuery(carryOnPlanQuery(target.session, request ?? {}, request !== null));

export function CarryOnPlanView({ target, request }: PlanProps) {
  const { data: plan, error, isFetching, isPlaceholderData } = usePlan({ target, request });
  if (error !== null) return <CannotCarryOn error={error} />;
  if (plan === undefined) return <Loading rows={10} height={28} label="Working out the new file" />;
  if (plan.status === "nothing") return <Nothing plan={plan} />;
  return (
    <div className={isPlaceholderData ? "opacity-60" : ""} aria-busy={isFetching || undefined} data-testid="carry-on">
      <p className="verdict" data-testid="verdict">
        <b>
          <Num value={plan.tokens.now} origin={plan.tokens.nowOrigin} /> before,{" "}
          <Num value={plan.tokens.next} origin={plan.tokens.origin} /> at the next call.
        </b>{" "}
        {plan.mode === "fork" ? "A fork holds everything up to the event." : "The session goes on in a new file."}
      </p>
      <Warnings plan={plan} />
      <Facts plan={plan} />
      <CarryOnLines plan={plan} onOpen={target.openEvent} />
    </div>
  );
}

/** A format that takes no file from outside is no failure: its sentence says what else can be done. */
function CannotCarryOn({ error }: { error: Error }) {
  const { code, message } = failureOf(error);
  if (code !== "unsupported") return <RequestFailure error={error} title="The new file cannot be planned" />;
  return (
    <div data-testid="cannot-carry-on">
      <p className="verdict">
        <b>This session cannot be carried on in a file.</b>
      </p>
      <p className="mt-2 text-ink-2">
        <SafeText text={message} />
      </p>
    </div>
  );
}

function Nothing({ plan }: { plan: CarryOnPlan }) {
  const [, choose] = useCompactState();
  return (
    <div data-testid="refusal">
      <p className="verdict">
        <b>Nothing to summarise.</b> The session can be forked as it is.
      </p>
      <p className="mt-2 text-ink-2">
        <SafeText text={plan.reason ?? ""} />
      </p>
      <div className="mt-3 flex gap-2">
        <Button small onClick={() => void choose({ tail: 0 })}>
          Keep no turn
        </Button>
        <Button small onClick={() => void choose({ show: "fork" })}>
          Fork without a summary
        </Button>
      </div>
    </div>
  );
}

function Warnings({ plan }: { plan: CarryOnPlan }) {
  if (plan.warnings.length === 0) return null;
  return (
    <ul className="mt-3 space-y-1" aria-label="Warnings">
      {plan.warnings.map((warning) => (
        <li key={warning} className="flex items-baseline gap-2">
          <Badge>warning</Badge>
          <span className="min-w-0 wrap-anywhere">
            <SafeText text={warning} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Facts({ plan }: { plan: CarryOnPlan }) {
  const { tokens, agent } = plan;
  const replaced = plan.lines.filter(({ kind }) => kind === "replaced").length;
  const [{ envelopes }, choose] = useCompactState();
  return (
    <dl className="mt-3 border-t border-line text-13">
      <Fact name="New file">
        <span className="mono min-w-0 wrap-anywhere">
          <SafeText text={plan.path ?? "Name a folder below"} />
        </span>
        <span className="flex-none text-12 text-ink-3">{formatBytes(plan.sizeBytes)}</span>
      </Fact>
      <Fact name="Command">
        <span className="mono min-w-0 wrap-anywhere">
          <SafeText text={plan.command} />
        </span>
        <span className="text-12 text-ink-3">The id is final once the file is written.</span>
      </Fact>
      <Fact name="Agent">
        <span>
          {agent.label} {agent.version ?? "of unknown version"}
        </span>
        <Badge>{agent.isTried ? "tried" : "untried"}</Badge>
      </Fact>
      {tokens.unattributed > 0 && (
        <Fact name="Before">
          <span>
            <Num value={tokens.now} origin={tokens.nowOrigin} />,{" "}
            <Num value={tokens.unattributed} origin={tokens.origin} /> of them unattributed and left out of the next
            call
          </span>
        </Fact>
      )}
      <Fact name="Next call">
        <span>
          <Num value={tokens.prefix} origin={tokens.origin} /> system prompt and tools, and{" "}
          <Num value={tokens.after} origin={tokens.origin} /> in the file
        </span>
      </Fact>
      <Fact name="Envelopes">
        <label className="flex items-baseline gap-2">
          <input
            type="checkbox"
            className="translate-y-px accent-ink"
            checked={envelopes ?? plan.mode === "summary"}
            onChange={(event) => void choose({ envelopes: event.currentTarget.checked })}
          />
          Replace large outputs by envelopes
        </label>
        {replaced > 0 && (
          <span className="text-12 text-ink-3">
            {formatCount(replaced, "output")}, <Num value={tokens.replaced} origin={tokens.origin} /> tokens saved
          </span>
        )}
      </Fact>
    </dl>
  );
}

export const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="grid grid-cols-[84px_minmax(0,1fr)] items-baseline gap-2 border-b border-line py-1.5 max-sm:grid-cols-1 max-sm:gap-0">
    <dt className="text-12 text-ink-3">{name}</dt>
    <dd className="flex min-w-0 flex-wrap items-baseline gap-x-3 gap-y-0.5">{children}</dd>
  </div>
);

export function CarryOnBar({ target, request }: PlanProps) {
  const [, choose] = useCompactState();
  const queries = useQueryClient();
  const { data: plan, error, isPlaceholderData } = usePlan({ target, request });
  const [folder, setFolder] = useState("");
  const to = folder.trim();
  const write = useMutation({
    mutationFn: () => writeCarryOn(target.session, { ...request, ...(to !== "" && { to }) }),
    onSuccess: async ({ written }) => {
      if (written !== null) await queries.invalidateQueries({ queryKey: ["sessions"] });
    },
  });
  // Not after the page was left: the address is then another session's.
  const onSuccess = ({ written }: CarryOnAnswer) => void (written !== null && choose({ written: written.id }));
  const isPlanned = plan?.status === "planned" && error === null;
  const needsFolder = isPlanned && (plan.path === null || write.error !== null);
  const why = !isPlanned
    ? "There is no plan to write"
    : isPlaceholderData || request === null
      ? "The dry run is not ready yet"
      : plan.path === null && to === ""
        ? "Name a folder first"
        : write.isPending
          ? "Writing"
          : null;
  return (
    <footer className="flex min-h-13 flex-none flex-wrap items-center gap-x-3 gap-y-2 border-t border-line-strong px-6 py-2 max-md:px-4">
      <Button kind="quiet" onClick={() => void choose({ show: null, envelopes: null })}>
        Back to the ledger
      </Button>
      <span className="flex-1 max-sm:hidden" />
      {write.error !== null && (
        <div className="max-w-150">
          <RequestFailure error={write.error} title="Not written; nothing changed" />
        </div>
      )}
      {write.data?.written === null && (
        <Failure code="nothing" title="Not written; nothing changed">
          {write.data.plan.reason ?? ""}
        </Failure>
      )}
      {needsFolder && (
        <span className="flex items-center gap-2 text-12 text-ink-2">
          Folder
          <TextInput
            aria-label="Folder for the new file"
            className="w-64!"
            placeholder="/home/me/carried-on"
            value={folder}
            onChange={(event) => setFolder(event.currentTarget.value)}
          />
        </span>
      )}
      {write.error === null && (
        <span className={`max-w-160 text-12 text-ink-2 ${needsFolder ? "max-lg:hidden" : ""}`}>
          The original file is never touched.
        </span>
      )}
      <Button
        kind="primary"
        disabled={why !== null}
        title={why ?? undefined}
        onClick={() => write.mutate(undefined, { onSuccess })}
      >
        Write the new session file
      </Button>
    </footer>
  );
}
