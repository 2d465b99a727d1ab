"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { createdToken, TOKEN_SCOPES, type CreatedToken, type TokenScope } from "#lib/wire/tokens-schema.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { send } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { Choice, Field, TextInput } from "../ui/field.tsx";
import { tokensQuery } from "./settings-queries.ts";

export const SCOPE_WORDS: Record<TokenScope, string> = {
  read: "view, and read artifacts",
  write: "read, and store artifacts",
  telemetry: "send OpenTelemetry, and see nothing",
  admin: "read, store, delete and change settings",
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
        className="mt-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isEmpty) making.mutate();
        }}
      >
        <h2 className="text-15 font-semibold">New token</h2>
        <div className="mt-1 border-t border-line-strong">
          <Field label="Name" about="The agent or script that uses it. Required.">
            {(props) => (
              <TextInput
                {...props}
                value={name}
                maxLength={200}
                placeholder="agent or script"
                onChange={(event) => setName(event.target.value)}
              />
            )}
          </Field>
          <Field label="Scope" about={`It may ${SCOPE_WORDS[scope]}.`} standard="write">
            {(props) => (
              <Choice {...props} value={scope} onChange={(event) => setScope(event.target.value as TokenScope)}>
                {TOKEN_SCOPES.map((one) => (
                  <option key={one} value={one}>
                    {one}
                  </option>
                ))}
              </Choice>
            )}
          </Field>
          <Field
            label="One session only"
            about="A session's id: the token sees no other session. Not with scope admin."
            standard="all sessions"
          >
            {(props) => (
              <TextInput
                {...props}
                className="mono"
                value={session}
                maxLength={400}
                placeholder="all sessions"
                onChange={(event) => setSession(event.target.value)}
              />
            )}
          </Field>
          <Field label="Expires" about="Requests after that day are refused." standard="in 90 days">
            {(props) => (
              <Choice
                {...props}
                value={String(days)}
                onChange={(event) => setDays(DAYS.find((one) => String(one) === event.target.value) ?? null)}
              >
                {DAYS.map((one) => (
                  <option key={String(one)} value={String(one)}>
                    {one === null ? "never" : `in ${one} days`}
                  </option>
                ))}
              </Choice>
            )}
          </Field>
        </div>
        <div className="mt-3">
          <Button
            type="submit"
            kind="primary"
            disabled={isEmpty || making.isPending}
            title={isEmpty ? "Enter a name first" : undefined}
          >
            Create token
          </Button>
        </div>
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
