"use client";
import type { RetentionPreview } from "#lib/wire/retention-schema.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";

type SweepDialogProps = { preview: RetentionPreview | undefined; onClose: () => void; onSweep: () => void };

/** The question before a sweep: what goes now. */
export function SweepDialog({ preview, onClose, onSweep }: SweepDialogProps) {
  const artifacts = preview?.artifacts ?? 0;
  return (
    <Dialog open onClose={onClose} title="Sweep now?">
      <p className="text-ink-2">
        {artifacts === 0 ? (
          "No artifact goes: the sweep only frees what nothing names any more."
        ) : (
          <>
            <b className="font-semibold text-ink">
              {formatCount(artifacts, "artifact")} of {formatCount(preview?.sessions ?? 0, "session")} end
              {artifacts === 1 ? "s" : ""}, {formatBytes(preview?.bytes ?? 0)} leave the disk.
            </b>{" "}
            Each leaves a tombstone that says what was there. Bytes of sessions that agents keep no file of cannot be
            brought back.
          </>
        )}
      </p>
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onClose}>Keep all</Button>
        <Button kind="primary" onClick={onSweep}>
          Sweep
        </Button>
      </div>
    </Dialog>
  );
}
