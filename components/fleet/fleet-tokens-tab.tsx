"use client";
// Tokens of a fleet: valid on every node, made and revoked here.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { fleetTokenRow, type FleetTokenRow } from "#lib/wire/fleet-people-schema.ts";
import { ConfirmLayer } from "../shared/confirm-layer.tsx";
import { TokenName, tokenRowClass, TokenTimes } from "../shared/token-cells.tsx";
import { send } from "../ui/api.ts";
import { Answered } from "../ui/answered.tsx";
import { Chip } from "../ui/chip.tsx";
import { Empty } from "../ui/empty.tsx";
import { Absent } from "../ui/num.tsx";
import { PlainTable, type Column } from "../ui/plain-table.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { fleetTokensQuery } from "./fleet-queries.ts";
import { FLEET_SCOPE_WORDS, isNamed, MOST_ROWS, whoWords } from "./fleet-labels.ts";
import { ListHead } from "./list-head.tsx";
import { NewFleetToken } from "./new-fleet-token.tsx";

export function FleetTokensTab() {
  const listed = useQuery(fleetTokensQuery);
  const [ending, setEnding] = useState<FleetTokenRow | null>(null);
  return (
    <div className="pb-8">
      <p className="max-w-180 text-ink-2">
        Laptops, CI and scripts sign in with a token. It is valid on every node, and shown once.
      </p>
      <NewFleetToken />
      <Answered query={listed} what="tokens" rows={4}>
        {({ tokens }) =>
          tokens.length === 0 ? (
            <Empty title="No tokens yet">A machine needs one with scope send to send its sessions.</Empty>
          ) : (
            <FleetTokenTable tokens={tokens} onEnd={setEnding} />
          )
        }
      </Answered>
      {ending !== null && <EndFleetToken token={ending} onClose={() => setEnding(null)} />}
    </div>
  );
}

const COLUMNS: readonly Column[] = [
  { name: "Token" },
  { name: "Scope", look: "w-20", isText: true },
  { name: "Project", look: "w-32", isText: true },
  { name: "Person", look: "w-44", isText: true },
  { name: "Created", look: "w-32", isText: true },
  { name: "Last used", look: "w-32", isText: true },
  { name: "Expires", look: "w-28", isText: true },
  { name: "Revoke", look: "w-24", isSilent: true },
];

function FleetTokenTable({
  tokens,
  onEnd,
}: {
  tokens: readonly FleetTokenRow[];
  onEnd: (token: FleetTokenRow) => void;
}) {
  const [words, setWords] = useState("");
  const [withEnded, setWithEnded] = useState(false);
  const ended = tokens.filter(({ state }) => state !== "live").length;
  const found = tokens.filter(
    ({ name, id, project, person, scope, state }) =>
      (withEnded || state === "live") && isNamed([name, id, project, person, scope], words),
  );
  return (
    <div className="mt-6">
      <ListHead title="Tokens" search="Search tokens" words={words} onWords={setWords} found={found.length}>
        {ended > 0 && (
          <Chip on={withEnded} hint={ended} onClick={() => setWithEnded(!withEnded)}>
            Revoked and expired
          </Chip>
        )}
      </ListHead>
      {found.length === 0 && <p className="py-2 text-ink-2">No token matches the search and filter.</p>}
      {found.length > 0 && (
        <PlainTable label="Tokens" width="min-w-240" columns={COLUMNS}>
          {found.slice(0, MOST_ROWS).map((token) => (
            <tr key={token.id} className={tokenRowClass(token)}>
              <TokenName token={token} />
              <td title={`It ${FLEET_SCOPE_WORDS[token.scope]}`}>{token.scope}</td>
              <td>
                {token.project === null ? (
                  <b className="font-medium">all projects</b>
                ) : (
                  <SafeText text={token.project} />
                )}
              </td>
              <td>{token.person === null ? <Absent why="Of no person" /> : <SafeText text={token.person} />}</td>
              <TokenTimes token={token} onEnd={() => onEnd(token)} by={`By ${whoWords(token.createdBy)}`} />
            </tr>
          ))}
        </PlainTable>
      )}
    </div>
  );
}

function EndFleetToken({ token, onClose }: { token: FleetTokenRow; onClose: () => void }) {
  const queries = useQueryClient();
  return (
    <ConfirmLayer
      title="Revoke this token?"
      labels={{ keep: "Keep it", act: "Revoke", failed: "It was not revoked" }}
      run={async () => {
        await send("DELETE", `/api/fleet/tokens/${encodeURIComponent(token.id)}`, fleetTokenRow, {});
        await queries.invalidateQueries({ queryKey: fleetTokensQuery.queryKey });
      }}
      onClose={onClose}
    >
      <p>
        Every node refuses{" "}
        <b className="font-semibold break-all text-ink">
          <SafeText text={token.name} />
        </b>{" "}
        within 5 seconds. What was sent with it stays.
      </p>
      <p className="mt-2">
        {token.usedAt === null ? (
          "It was never used."
        ) : (
          <>
            It was last used <When ts={token.usedAt} show="ago" />.
          </>
        )}{" "}
        This cannot be undone; create a new one instead.
      </p>
    </ConfirmLayer>
  );
}
