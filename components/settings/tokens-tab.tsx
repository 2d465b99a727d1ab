"use client";
// Tokens that agents come in with: made here, shown once, ended here.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { tokenRow, type CreatedToken, type TokenRow } from "#lib/wire/tokens-schema.ts";
import { send } from "../ui/api.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Empty } from "../ui/empty.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { Loading } from "../ui/loading.tsx";
import { Absent } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { NewToken, SCOPE_WORDS } from "./new-token.tsx";
import { PlainTable, ROW, type Column } from "../ui/plain-table.tsx";
import { tokensQuery } from "./settings-queries.ts";

export function TokensTab() {
  const tokens = useQuery(tokensQuery);
  const [made, setMade] = useState<CreatedToken | null>(null);
  const [ending, setEnding] = useState<TokenRow | null>(null);
  return (
    <div className="pb-8">
      <p className="max-w-180 text-ink-2">
        Agents and scripts sign in with <code className="mono">Authorization: Bearer plm_…</code>. A token is shown
        once.{" "}
        <Link className="link underline" href="/docs">
          API reference
        </Link>
        .
      </p>
      <NewToken made={made} onMade={setMade} />
      {tokens.error ? (
        <RequestFailure error={tokens.error} title="The tokens could not be read" />
      ) : tokens.data === undefined ? (
        <Loading rows={4} label="Loading the tokens" />
      ) : tokens.data.tokens.length === 0 ? (
        <Empty title="No tokens yet">Only this browser and your command line have access.</Empty>
      ) : (
        <TokenTable tokens={tokens.data.tokens} onEnd={setEnding} />
      )}
      {ending !== null && <EndToken token={ending} onClose={() => setEnding(null)} />}
    </div>
  );
}

const COLUMNS: readonly Column[] = [
  { name: "Token" },
  { name: "Scope", look: "w-36", isText: true },
  { name: "Sessions", look: "w-48", isText: true },
  { name: "Created", look: "w-32", isText: true },
  { name: "Last used", look: "w-32", isText: true },
  { name: "Expires", look: "w-32", isText: true },
  { name: "Revoke", look: "w-28", isSilent: true },
];

function TokenTable({ tokens, onEnd }: { tokens: readonly TokenRow[]; onEnd: (token: TokenRow) => void }) {
  return (
    <div className="mt-6">
      <h2 className="text-15 font-semibold">Tokens</h2>
      <PlainTable label="Tokens" width="min-w-180" columns={COLUMNS}>
        {tokens.map((token) => (
          <tr key={token.id} className={`${ROW} ${token.state === "live" ? "" : "text-ink-3"}`}>
            <td className="pl-0!">
              <span className="font-medium">
                <SafeText text={token.name} />
              </span>{" "}
              <span className="mono text-ink-3">{token.id}</span>
            </td>
            <td title={SCOPE_WORDS[token.scope]}>{token.scope}</td>
            <td>
              {token.session === null ? (
                "all sessions"
              ) : (
                <Link className="link mono" href={`/sessions/${token.session}`}>
                  {token.session}
                </Link>
              )}
            </td>
            <td>
              <When ts={token.createdAt} />
            </td>
            <td>{token.usedAt === null ? <Absent why="Never used" /> : <When ts={token.usedAt} />}</td>
            <td>
              {token.state === "revoked" ? (
                <Badge tone="error">revoked</Badge>
              ) : token.state === "expired" ? (
                <Badge tone="error">expired</Badge>
              ) : token.expiresAt === null ? (
                "never"
              ) : (
                <When ts={token.expiresAt} show="day" />
              )}
            </td>
            <td className="pr-0! text-right">
              {token.state === "live" && (
                <Button small onClick={() => onEnd(token)}>
                  Revoke…
                </Button>
              )}
            </td>
          </tr>
        ))}
      </PlainTable>
    </div>
  );
}

function EndToken({ token, onClose }: { token: TokenRow; onClose: () => void }) {
  const queries = useQueryClient();
  const ending = useMutation({
    mutationFn: () => send("DELETE", `/api/tokens/${encodeURIComponent(token.id)}`, tokenRow),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: tokensQuery.queryKey });
      onClose();
    },
  });
  return (
    <Dialog open onClose={onClose} title="Revoke this token?">
      <p className="text-ink-2">
        <b className="font-semibold break-all text-ink">
          <SafeText text={token.name} />
        </b>{" "}
        stops working at once. This cannot be undone; create a new one instead.
      </p>
      {ending.error !== null && (
        <div className="mt-3">
          <RequestFailure error={ending.error} title="It was not revoked" />
        </div>
      )}
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onClose}>Keep it</Button>
        <Button kind="primary" disabled={ending.isPending} onClick={() => ending.mutate()}>
          Revoke
        </Button>
      </div>
    </Dialog>
  );
}
