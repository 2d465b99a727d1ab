"use client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { projectRetention, retentionOver, type ProjectRetention } from "#lib/wire/fleet-retention-schema.ts";
import { ConfirmLayer } from "../shared/confirm-layer.tsx";
import { send } from "../ui/api.ts";
import { RequestFailure } from "../ui/failure.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { limitsText } from "./fleet-labels.ts";

type LimitsLayerProps = { limits: ProjectRetention; onClose: () => void; onSaved: () => void };

/** What limits would delete now, before they are set. */
export function LimitsLayer({ limits, onClose, onSaved }: LimitsLayerProps) {
  const queries = useQueryClient();
  const preview = useQuery({
    queryKey: ["fleet", "retention", "preview", limits],
    queryFn: ({ signal }) => send("POST", "/api/fleet/retention/preview", retentionOver, limits, signal),
    // What it says must be true now.
    staleTime: 0,
    gcTime: 0,
  });
  const over = preview.data?.over;
  return (
    <ConfirmLayer
      title="Set these limits?"
      labels={{ keep: "Cancel", act: "Set limits", failed: "The limits were not set" }}
      refusal={over === undefined ? "The dry run is not done yet" : null}
      run={async () => {
        await send("PUT", "/api/fleet/retention", projectRetention, limits);
        await queries.invalidateQueries({ queryKey: ["fleet"] });
        onSaved();
      }}
      onClose={onClose}
    >
      <p>
        <b className="font-semibold text-ink">
          <SafeText text={limits.project} />
        </b>{" "}
        would keep {limitsText(limits)}.
      </p>
      <div className="mt-2" aria-live="polite">
        {preview.error !== null ? (
          <RequestFailure error={preview.error} title="The dry run failed" />
        ) : over === undefined ? (
          <Loading rows={1} label="Counting what would go" />
        ) : over.sessions === 0 && over.families === 0 ? (
          "Nothing is over these limits now."
        ) : (
          <>
            <b className="font-semibold text-ink">
              {formatCount(over.sessions, "session")}, {formatBytes(over.bytes)}
            </b>{" "}
            would be deleted within 10 minutes. Until their grace period ends you can restore them.
          </>
        )}
      </div>
    </ConfirmLayer>
  );
}
