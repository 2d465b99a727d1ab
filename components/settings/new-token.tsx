"use client";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { createdToken, TOKEN_SCOPES, type CreatedToken, type TokenScope } from "#lib/wire/tokens-schema.ts";
import { ShownOnce } from "../shared/shown-once.tsx";
import { TokenForm } from "../shared/token-form.tsx";
import { send } from "../ui/api.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Field, TextInput } from "../ui/field.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { tokensQuery } from "./settings-queries.ts";

export const SCOPE_WORDS: Record<TokenScope, string> = {
  read: "views, and reads artifacts",
  write: "reads, and stores artifacts",
  telemetry: "sends OpenTelemetry, and sees nothing",
  admin: "reads, stores, deletes and changes settings",
};

export function NewToken() {
  const queries = useQueryClient();
  const [session, setSession] = useState("");
  const [made, setMade] = useState<CreatedToken | null>(null);
  return (
    <>
      <TokenForm
        scopes={{ all: TOKEN_SCOPES, labels: SCOPE_WORDS, standard: "write" }}
        name={{ about: "The agent or script that uses it.", example: "agent or script" }}
        onCreate={async (token) => {
          const body = { ...token, ...(session.trim() !== "" && { session: session.trim() }) };
          setMade(await send("POST", "/api/tokens", createdToken, body));
          await queries.invalidateQueries({ queryKey: tokensQuery.queryKey });
        }}
      >
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
      </TokenForm>
      {made !== null && (
        <ShownOnce
          key={made.id}
          label="The new token"
          title={
            <>
              Copy the token for <SafeText text={made.name} /> now.
            </>
          }
          secret={made.token}
          actions={<CopyButton text={() => `export PLIMSOLL_TOKEN=${made.token}`}>Copy as export</CopyButton>}
          onDone={() => setMade(null)}
        />
      )}
    </>
  );
}
