"use client";
// Webhooks: addresses that are sent what happens in sessions. Their secrets are shown once, when they are made.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  savedWebhook,
  webhookDelivery,
  webhookRow,
  type SavedWebhook,
  type WebhookRow,
} from "#lib/wire/webhooks-schema.ts";
import { ConfirmLayer } from "../shared/confirm-layer.tsx";
import { ShownOnce } from "../shared/shown-once.tsx";
import { useIsNode } from "../ui/access-context.ts";
import { send } from "../ui/api.ts";
import { Answered } from "../ui/answered.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Empty } from "../ui/empty.tsx";
import { Absent } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { PlainTable, ROW, type Column } from "../ui/plain-table.tsx";
import { deliveriesQuery, webhooksQuery } from "./settings-queries.ts";
import { KIND_LABELS, WebhookForm } from "./webhook-form.tsx";
import { WebhookLog } from "./webhook-log.tsx";

type Layer = { readonly of: "change" | "remove" | "log"; readonly webhook: WebhookRow };

export function WebhooksTab() {
  const isNode = useIsNode();
  const listed = useQuery(webhooksQuery);
  const [made, setMade] = useState<SavedWebhook | null>(null);
  const [layer, setLayer] = useState<Layer | null>(null);
  const close = () => setLayer(null);
  return (
    <div className="pb-8">
      <p className="max-w-180 text-ink-2">
        Signed JSON by POST, per the Standard Webhooks specification. It has no messages of a session.
      </p>
      {isNode && (
        <p className="mt-1 max-w-180 text-ink-2">They are of the whole fleet: one of its nodes sends each message.</p>
      )}
      <WebhookForm webhook={null} onSaved={setMade} />
      {made?.secret != null && (
        <ShownOnce
          key={made.secret}
          label="The new secret"
          title={
            <>
              Copy the signing secret of <SafeText text={made.name} /> now.
            </>
          }
          secret={made.secret}
          onDone={() => setMade(null)}
        />
      )}
      <Answered query={listed} what="webhooks" rows={4}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <Empty title="No webhooks yet">Nothing is sent anywhere.</Empty>
          ) : (
            <WebhookTable webhooks={webhooks} onOpen={setLayer} />
          )
        }
      </Answered>
      {layer?.of === "change" && (
        <Dialog open onClose={close} title="Change webhook" width={760}>
          <WebhookForm
            webhook={layer.webhook}
            onCancel={close}
            onSaved={(saved) => {
              close();
              if (saved.secret !== null) setMade(saved);
            }}
          />
        </Dialog>
      )}
      {layer?.of === "remove" && <RemoveWebhook webhook={layer.webhook} onClose={close} />}
      {layer?.of === "log" && <WebhookLog webhook={layer.webhook} onClose={close} />}
    </div>
  );
}

const COLUMNS: readonly Column[] = [
  { name: "Webhook" },
  { name: "Sent", look: "w-80", isText: true },
  { name: "Waiting", look: "w-20" },
  { name: "Last", look: "w-40", isText: true },
  { name: "Actions", look: "w-96", isSilent: true },
];

const kindsOf = ({ kinds }: WebhookRow): string => kinds.map((kind) => KIND_LABELS[kind]).join(", ");

type TableProps = { webhooks: readonly WebhookRow[]; onOpen: (layer: Layer) => void };

function WebhookTable({ webhooks, onOpen }: TableProps) {
  return (
    <div className="mt-6">
      <h2 className="text-15 font-semibold">Webhooks</h2>
      <PlainTable label="Webhooks" width="min-w-240" columns={COLUMNS}>
        {webhooks.map((webhook) => (
          <tr key={webhook.id} className={`${ROW} ${webhook.enabled ? "" : "text-ink-3"}`}>
            <td className="pl-0!">
              <span className="font-medium">
                <SafeText text={webhook.name} />
              </span>{" "}
              <span className="mono text-ink-3" title={webhook.url}>
                <SafeText text={webhook.url.split("?")[0]!} />
              </span>{" "}
              {!webhook.local && <Badge title="What is sent leaves this machine">external</Badge>}{" "}
              {!webhook.enabled && <Badge>off</Badge>}
            </td>
            <td title={kindsOf(webhook)}>{kindsOf(webhook)}</td>
            <td className="text-right tabular-nums">{webhook.waiting}</td>
            <td>
              {webhook.last === null ? (
                <Absent why="Nothing was sent yet" />
              ) : (
                <>
                  {webhook.last.state === "failed" && <Badge tone="error">failed</Badge>} <When ts={webhook.last.at} />
                </>
              )}
            </td>
            <td className="overflow-visible! pr-0!">
              <Actions webhook={webhook} onOpen={onOpen} />
            </td>
          </tr>
        ))}
      </PlainTable>
    </div>
  );
}

function Actions({ webhook, onOpen }: { webhook: WebhookRow; onOpen: (layer: Layer) => void }) {
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: webhooksQuery.queryKey });
  const path = `/api/webhooks/${webhook.id}`;
  const turning = useMutation({
    mutationFn: () => send("PUT", path, savedWebhook, { enabled: !webhook.enabled }),
    onSettled: refresh,
  });
  const testing = useMutation({
    mutationFn: () => send("POST", `${path}/test`, webhookDelivery, {}),
    onSettled: async () => {
      await refresh();
      await queries.invalidateQueries({ queryKey: deliveriesQuery(webhook.id).queryKey });
      onOpen({ of: "log", webhook });
    },
  });
  return (
    <span className="flex flex-wrap justify-end gap-1 py-1 max-md:justify-start">
      <Button small disabled={testing.isPending} onClick={() => testing.mutate()}>
        Send test
      </Button>
      <Button small onClick={() => onOpen({ of: "log", webhook })}>
        Deliveries
      </Button>
      <Button small disabled={turning.isPending} onClick={() => turning.mutate()}>
        {webhook.enabled ? "Turn off" : "Turn on"}
      </Button>
      <Button small onClick={() => onOpen({ of: "change", webhook })}>
        Change…
      </Button>
      <Button small onClick={() => onOpen({ of: "remove", webhook })}>
        Remove…
      </Button>
    </span>
  );
}

function RemoveWebhook({ webhook, onClose }: { webhook: WebhookRow; onClose: () => void }) {
  const queries = useQueryClient();
  return (
    <ConfirmLayer
      title="Remove this webhook?"
      labels={{ keep: "Keep it", act: "Remove", failed: "It was not removed" }}
      run={async () => {
        await send("DELETE", `/api/webhooks/${webhook.id}`, webhookRow, {});
        await queries.invalidateQueries({ queryKey: webhooksQuery.queryKey });
      }}
      onClose={onClose}
    >
      <b className="font-semibold break-all text-ink">
        <SafeText text={webhook.name} />
      </b>{" "}
      goes with its deliveries. Messages that wait are not sent: {webhook.waiting}.
    </ConfirmLayer>
  );
}
