"use client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { isLocalUrl, webhookUrl } from "#lib/kernel/webhook-post.ts";
import {
  savedWebhook,
  WEBHOOK_KINDS,
  type SavedWebhook,
  type WebhookKind,
  type WebhookRow,
} from "#lib/wire/webhooks-schema.ts";
import { useIsNode } from "../ui/access-context.ts";
import { failureOf, send } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { Check, Field, TextInput } from "../ui/field.tsx";
import { warningQuery, webhooksQuery } from "./settings-queries.ts";

export const KIND_LABELS: Readonly<Record<WebhookKind, string>> = {
  near: "Near the limit",
  refused: "Refused",
  compacted: "Compacted",
  finished: "Finished",
  budget: "Budget",
};

const ABOUT: Readonly<Record<Exclude<WebhookKind, "near">, string>> = {
  refused: "The provider refused a prompt as too long.",
  compacted: "A summary took the place of the context so far.",
  budget: "A budget is near its end, or over; once for each day or month.",
  finished: "An imported session paused for 10 minutes, or a session of Plimsoll's ended.",
};

type Draft = { name: string; url: string; kinds: readonly WebhookKind[]; titles: boolean; newSecret: boolean };

type WebhookFormProps = {
  /** The one that is changed; null: a new one. */
  webhook: WebhookRow | null;
  onSaved: (saved: SavedWebhook) => void;
  onCancel?: () => void;
};

const EMPTY: Draft = { name: "", url: "", kinds: WEBHOOK_KINDS, titles: false, newSecret: false };

export function WebhookForm({ webhook, onSaved, onCancel }: WebhookFormProps) {
  const isNode = useIsNode();
  const queries = useQueryClient();
  const [draft, setDraft] = useState<Draft>(webhook === null ? EMPTY : { ...webhook, newSecret: false });
  const change = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }));
  const wrong = problemOf(draft.url);
  const isLocal = draft.url.trim() === "" || wrong !== null || isLocalUrl(draft.url.trim());
  const missing =
    draft.name.trim() === ""
      ? "Enter a name first"
      : draft.url.trim() === "" || wrong !== null
        ? "Enter an address first"
        : draft.kinds.length === 0
          ? "Choose what is sent first"
          : null;
  const saving = useMutation({
    mutationFn: () => {
      const { newSecret, name, url, kinds, titles } = draft;
      const body = { name: name.trim(), url: url.trim(), kinds, titles };
      return webhook === null
        ? send("POST", "/api/webhooks", savedWebhook, body)
        : send("PUT", `/api/webhooks/${webhook.id}`, savedWebhook, { ...body, ...(newSecret && { newSecret }) });
    },
    onSuccess: async (saved) => {
      if (webhook === null) setDraft(EMPTY);
      onSaved(saved);
      await queries.invalidateQueries({ queryKey: webhooksQuery.queryKey });
    },
    // Its answer may hold the secret.
    gcTime: 0,
  });
  return (
    <form
      aria-label={webhook === null ? "New webhook" : "Change webhook"}
      className="mt-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (missing === null) saving.mutate();
      }}
    >
      {webhook === null && <h2 className="text-15 font-semibold">New webhook</h2>}
      <div className="mt-1 border-t border-line-strong">
        <Field label="Name" about="How it is called here. Required.">
          {(props) => (
            <TextInput
              {...props}
              value={draft.name}
              maxLength={80}
              placeholder="chat, pager, script"
              onChange={(event) => change({ name: event.target.value })}
            />
          )}
        </Field>
        <Field
          label="Address"
          about={isLocal ? "https, or http on this machine." : <b className="font-medium text-ink">{LEAVES}</b>}
          wrong={draft.url.trim() === "" ? null : wrong}
        >
          {(props) => (
            <TextInput
              {...props}
              className="mono"
              value={draft.url}
              maxLength={2000}
              placeholder="https://…"
              onChange={(event) => change({ url: event.target.value })}
            />
          )}
        </Field>
        {WEBHOOK_KINDS.map((kind) => (
          <Field key={kind} label={KIND_LABELS[kind]} about={kind === "near" ? <AboutNear /> : ABOUT[kind]}>
            {(props) => (
              <Check
                {...props}
                checked={draft.kinds.includes(kind)}
                onChange={(isOn) =>
                  change({ kinds: isOn ? [...draft.kinds, kind] : draft.kinds.filter((one) => one !== kind) })
                }
              />
            )}
          </Field>
        ))}
        <Field
          label={isNode ? "Titles and projects" : "Titles and folders"}
          about={`Many agents take a title from the first prompt. Off: titles, and ${isNode ? "projects" : "folders"} of budgets, are left out.`}
          standard="off"
        >
          {(props) => <Check {...props} checked={draft.titles} onChange={(titles) => change({ titles })} />}
        </Field>
        {webhook !== null && (
          <Field label="New secret" about="Signs with another secret from now on. The old one ends at once.">
            {(props) => <Check {...props} checked={draft.newSecret} onChange={(newSecret) => change({ newSecret })} />}
          </Field>
        )}
      </div>
      <div className="mt-3 flex gap-2">
        <Button
          type="submit"
          kind="primary"
          disabled={missing !== null || saving.isPending}
          title={missing ?? undefined}
        >
          {webhook === null ? "Add webhook" : "Save"}
        </Button>
        {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
      </div>
      {saving.error !== null && (
        <div className="mt-3 max-w-180">
          <RequestFailure error={saving.error} title="The webhook was not saved" />
        </div>
      )}
    </form>
  );
}

const LEAVES = "What is sent leaves this machine: session id, agent, model, token counts.";

function AboutNear() {
  const share = useQuery(warningQuery).data?.warnAt ?? null;
  return share === null
    ? "The context passes 80 % of its load line. Warnings can set another share."
    : `The context passes ${Math.round(share * 100)} % of its load line, as set in Warnings.`;
}

function problemOf(url: string): string | null {
  try {
    webhookUrl(url);
    return null;
  } catch (error) {
    return failureOf(error).message.replace("The webhook's address cannot be used. ", "");
  }
}
