"use client";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { WebhookDelivery, WebhookRow } from "#lib/wire/webhooks-schema.ts";
import { Badge } from "../ui/badge.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { Loading } from "../ui/loading.tsx";
import { When } from "../ui/when.tsx";
import { PlainTable, ROW, type Column } from "../ui/plain-table.tsx";
import { deliveriesQuery } from "./settings-queries.ts";

const COLUMNS: readonly Column[] = [
  { name: "Message", look: "w-44" },
  { name: "Session", look: "w-44", isText: true },
  { name: "Result", look: "w-28", isText: true },
  { name: "Attempts", look: "w-20" },
  { name: "Sent", look: "w-32", isText: true },
  { name: "Reason", isText: true },
];

/** What was sent to a webhook, and what waits. */
export function WebhookLog({ webhook, onClose }: { webhook: WebhookRow; onClose: () => void }) {
  const log = useQuery(deliveriesQuery(webhook.id));
  return (
    <Dialog open onClose={onClose} title={`Deliveries to ${webhook.name}`} width={960}>
      {log.error ? (
        <RequestFailure error={log.error} title="The deliveries could not be read" />
      ) : log.data === undefined ? (
        <Loading rows={4} label="Loading the deliveries" />
      ) : log.data.deliveries.length === 0 ? (
        <p className="text-ink-2">Nothing was sent yet.</p>
      ) : (
        <PlainTable label="Deliveries" width="min-w-180" columns={COLUMNS}>
          {log.data.deliveries.map((delivery) => (
            <Delivery key={delivery.id} delivery={delivery} />
          ))}
        </PlainTable>
      )}
    </Dialog>
  );
}

function Delivery({ delivery }: { delivery: WebhookDelivery }) {
  const { type, id, session, state, attempts, status, error, createdAt, sentAt, nextAt } = delivery;
  return (
    <tr className={ROW}>
      <td className="pl-0!" title={id}>
        {type}
      </td>
      <td>
        {session === null ? (
          "–"
        ) : (
          <Link className="link mono" href={`/sessions/${session}`}>
            {session}
          </Link>
        )}
      </td>
      <td>
        {state === "failed" ? <Badge tone="error">failed</Badge> : state}
        {status === null ? "" : ` ${status}`}
      </td>
      <td className="text-right tabular-nums">{attempts}</td>
      <td>
        <When ts={sentAt ?? createdAt} />
      </td>
      <td className="whitespace-normal!">
        {error}
        {nextAt !== null && attempts > 0 && (
          <>
            {" "}
            Next attempt: <When ts={nextAt} />
          </>
        )}
      </td>
    </tr>
  );
}
