"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { createdToken, TOKEN_SCOPES, type CreatedToken, type TokenScope } from "#lib/wire/tokens-schema.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { send } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { Choice, TextInput } from "../ui/field.tsx";
import { tokensQuery } from "./settings-queries.ts";

export const SCOPE_WORDS: Record<TokenScope, string> = {
  read: "view and read back",
  write: "also store",
  admin: "also delete and configure",
};

const DAYS = [7, 30, 90, 365, null] as const;

type NewTokenProps = { made: CreatedToken | null; onMade: (token: CreatedToken | null) => void };

export function NewToken({ made, onMade }: NewTokenProps) {
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [scope, setScope] = useState<TokenScope>("write");
  const [session, setSession] = useState("");
  const [days, setDays] = useState<(typeof DAYS)[number]>(90);
  const making = useMutation({
    mutationFn: () =>
      send("POST", "/api/tokens", createdToken, {
        name: name.trim(),
        scope,
        days,
        ...(session.trim() !== "" && { session: session.trim() }),
      }),
    onSuccess: async (token) => {
      onMade(token);
      setName("");
      await queries.invalidateQueries({ queryKey: tokensQuery.queryKey });
    },
  });
  const isEmpty = name.trim() === "";
  return (
    <>
      <form
        aria-label="New token"
        className="mt-4 flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isEmpty) making.mutate();
        }}
      >
        <Labelled label="Name" width="w-56">
          <TextInput
            value={name}
            maxLength={200}
            placeholder="agent or script"
            onChange={(event) => setName(event.target.value)}
          />
        </Labelled>
        <Labelled label="Scope" width="w-72">
          <Choice value={scope} onChange={(event) => setScope(event.target.value as TokenScope)}>
            {TOKEN_SCOPES.map((one) => (
              <option key={one} value={one}>
                {one}: {SCOPE_WORDS[one]}
              </option>
            ))}
          </Choice>
        </Labelled>
        <Labelled label="One session only" width="w-56">
          <TextInput
            className="mono"
            value={session}
            maxLength={400}
            placeholder="all sessions"
            onChange={(event) => setSession(event.target.value)}
          />
        </Labelled>
        <Labelled label="Expires" width="w-36">
          <Choice
            value={String(days)}
            onChange={(event) => setDays(DAYS.find((one) => String(one) === event.target.value) ?? null)}
          >
            {DAYS.map((one) => (
              <option key={String(one)} value={String(one)}>
                {one === null ? "never" : `in ${one} days`}
              </option>
            ))}
          </Choice>
        </Labelled>
        <Button
          type="submit"
          kind="primary"
          disabled={isEmpty || making.isPending}
          title={isEmpty ? "Enter a name first" : undefined}
        >
          Create token
        </Button>
      </form>
      {making.error !== null && (
        <div className="mt-3">
          <RequestFailure error={making.error} title="The token was not created" />
        </div>
      )}
      {made !== null && <Shown token={made} onDone={() => onMade(null)} />}
    </>
  );
}

/** The one time that it is shown. It lives in this page's memory and nowhere else of the browser. */
function Shown({ token, onDone }: { token: CreatedToken; onDone: () => void }) {
  return (
    <section aria-label="The new token" className="mt-4 border-l-2 border-ink bg-sunk px-4 py-3">
      <p className="font-medium">
        Copy the token for <SafeText text={token.name} /> now. It is not shown again.
      </p>
      <p className="mt-1 flex flex-wrap items-center gap-2">
        <code className="mono break-all">{token.token}</code>
        <CopyButton text={() => token.token}>Copy</CopyButton>
        <CopyButton text={() => `export PLIMSOLL_TOKEN=${token.token}`}>Copy as export</CopyButton>
        <Button small onClick={onDone}>
          Done
        </Button>
      </p>
    </section>
  );
}

function Labelled({ label, width, children }: { label: string; width: string; children: React.ReactNode }) {
  return (
    // oxlint-disable-next-line jsx-a11y/label-has-associated-control -- the control is among its children
    <label className={`flex flex-col gap-1 text-12 text-ink-2 ${width}`}>
      {label}
      <span className="flex">{children}</span>
    </label>
  );
}
