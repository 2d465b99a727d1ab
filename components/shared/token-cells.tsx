// The cells of a token that any table of them has.
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Absent } from "../ui/num.tsx";
import { ROW } from "../ui/plain-table.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";

type Token = {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly usedAt: string | null;
  readonly expiresAt: string | null;
  readonly state: "live" | "expired" | "revoked";
};

export const tokenRowClass = ({ state }: Pick<Token, "state">): string =>
  state === "live" ? ROW : `${ROW} text-ink-3`;

export function TokenName({ token }: { token: Token }) {
  return (
    <td className="pl-0!">
      <span className="font-medium">
        <SafeText text={token.name} />
      </span>{" "}
      <span className="mono text-ink-3">{token.id}</span>
    </td>
  );
}

type TimesProps = { token: Token; onEnd: () => void; /** Who made it. */ by?: string };

/** When it was created and used, when it expires, and the button that ends it. */
export function TokenTimes({ token: { createdAt, usedAt, expiresAt, state }, onEnd, by }: TimesProps) {
  return (
    <>
      <td title={by}>
        <When ts={createdAt} show="day" />
      </td>
      <td>{usedAt === null ? <Absent why="Never used" /> : <When ts={usedAt} show="ago" />}</td>
      <td>
        {state !== "live" ? (
          <Badge tone="error">{state}</Badge>
        ) : expiresAt === null ? (
          "never"
        ) : (
          <When ts={expiresAt} show="day" />
        )}
      </td>
      <td className="pr-0! text-right">
        {state === "live" && (
          <Button small onClick={onEnd}>
            Revoke…
          </Button>
        )}
      </td>
    </>
  );
}
