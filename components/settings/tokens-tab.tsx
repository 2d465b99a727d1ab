"use client";
// Tokens that agents sign in with: created and revoked here.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { tokenRow, type TokenRow } from "#lib/wire/tokens-schema.ts";
import { ConfirmLayer } from "../shared/confirm-layer.tsx";
import { TokenName, tokenRowClass, TokenTimes } from "../shared/token-cells.tsx";
import { send } from "../ui/api.ts";
import { Answered } from "../ui/answered.tsx";
import { Empty } from "../ui/empty.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { NewToken, SCOPE_WORDS } from "./new-token.tsx";
import { PlainTable, type Column } from "../ui/plain-table.tsx";
import { tokensQuery } from "./settings-queries.ts";

export function TokensTab() {
  const listed = useQuery(tokensQuery);
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
      <NewToken />
      <Answered query={listed} what="tokens" rows={4}>
        {({ tokens }) =>
          tokens.length === 0 ? (
            <Empty title="No tokens yet">Only this browser and your command line have access.</Empty>
          ) : (
            <TokenTable tokens={tokens} onEnd={setEnding} />
          )
        }
      </Answered>
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
          <tr key={token.id} className={tokenRowClass(token)}>
            <TokenName token={token} />
            <td title={`It ${SCOPE_WORDS[token.scope]}`}>{token.scope}</td>
            <td>
              {token.session === null ? (
                "all sessions"
              ) : (
                <Link className="link mono" href={`/sessions/${token.session}`}>
                  {token.session}
                </Link>
              )}
            </td>
            <TokenTimes token={token} onEnd={() => onEnd(token)} />
          </tr>
        ))}
      </PlainTable>
    </div>
  );
}

function EndToken({ token, onClose }: { token: TokenRow; onClose: () => void }) {
  const queries = useQueryClient();
  return (
    <ConfirmLayer
      title="Revoke this token?"
      labels={{ keep: "Keep it", act: "Revoke", failed: "It was not revoked" }}
      run={async () => {
        await send("DELETE", `/api/tokens/${encodeURIComponent(token.id)}`, tokenRow);
        await queries.invalidateQueries({ queryKey: tokensQuery.queryKey });
      }}
      onClose={onClose}
    >
      <b className="font-semibold break-all text-ink">
        <SafeText text={token.name} />
      </b>{" "}
      stops working at once. This cannot be undone; create a new one instead.
    </ConfirmLayer>
  );
}
