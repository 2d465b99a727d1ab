"use client";
import { useMutation } from "@tanstack/react-query";
import { LINK_MINUTES, signInLink } from "#lib/wire/fleet-people-schema.ts";
import { ShownOnce } from "../shared/shown-once.tsx";
import { send } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { SafeText } from "../ui/safe-text.tsx";

/** Makes a link that signs a person in, and shows it once. */
export function SignInLinkLayer({ email, onClose }: { email: string; onClose: () => void }) {
  const making = useMutation({
    mutationFn: () => send("POST", "/api/fleet/links", signInLink, { email, minutes: LINK_MINUTES }),
    // The link is a secret: it lives as long as this dialog.
    gcTime: 0,
  });
  const link = making.data === undefined ? null : `${location.origin}${making.data.path}`;
  return (
    <Dialog open onClose={onClose} title="Sign-in link" width={620}>
      <p className="text-ink-2">
        Whoever opens it first signs in as{" "}
        <b className="font-semibold break-all text-ink">
          <SafeText text={email} />
        </b>
        : once, within {LINK_MINUTES} minutes. The audit log notes it.
      </p>
      {making.error !== null && (
        <div className="mt-3">
          <RequestFailure error={making.error} title="The link was not made" />
        </div>
      )}
      {link !== null && <ShownOnce label="The link" title="Send it to them now." secret={link} />}
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{link === null ? "Cancel" : "Done"}</Button>
        {link === null && (
          <Button
            kind="primary"
            disabled={making.isPending}
            title={making.isPending ? "It is being made" : undefined}
            onClick={() => making.mutate()}
          >
            Create link
          </Button>
        )}
      </div>
    </Dialog>
  );
}
