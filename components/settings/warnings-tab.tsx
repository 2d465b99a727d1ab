"use client";
// From which share of the load line a page warns of a running session, and whether the browser says it too.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { warnSetting, type WarnSetting } from "#lib/wire/status-schema.ts";
import { useIsNode } from "../ui/access-context.ts";
import { send } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { Field, TextInput } from "../ui/field.tsx";
import { Loading } from "../ui/loading.tsx";
import { showAnswer } from "../ui/show-answer.ts";
import { warningQuery } from "./settings-queries.ts";

export function WarningsTab() {
  const saved = useQuery(warningQuery);
  // What is shown stays when it cannot be read again, and what was typed with it.
  if (saved.error && !saved.data) return <RequestFailure error={saved.error} title="The setting could not be read" />;
  if (!saved.data) return <Loading rows={2} label="Loading the setting" />;
  return (
    <div className="pb-8">
      <WarningForm saved={saved.data} />
      <BrowserNotices />
    </div>
  );
}

const WRONG = "A whole number from 10 to 100, or nothing.";

function WarningForm({ saved }: { saved: WarnSetting }) {
  const queries = useQueryClient();
  const isNode = useIsNode();
  /** Null: nobody touched it, and it stands as it is set. */
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? (saved.warnAt === null ? "" : String(Math.round(saved.warnAt * 100)));
  const share = shareOf(text);
  const saving = useMutation({
    mutationFn: (warnAt: number | null) => send("PUT", "/api/settings/warning", warnSetting, { warnAt }),
    onMutate: () => typed,
    onSuccess: async (answer, _, sent) => {
      await showAnswer(queries, warningQuery.queryKey, answer);
      setTyped((now) => (now === sent ? null : now));
    },
  });
  const isSame = share !== undefined && share === saved.warnAt;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (share !== undefined) saving.mutate(share);
      }}
    >
      <div className="border-t border-line-strong">
        <Field
          label="Warn at"
          standard="no warning"
          unit="% of the load line"
          about={`${isNode ? "For the whole fleet. " : ""}Shown on every open page, once per rise. The status line turns red there. Empty: no warning.`}
          wrong={share === undefined ? WRONG : null}
        >
          {(props) => (
            <TextInput
              {...props}
              inputMode="numeric"
              placeholder="none"
              value={text}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
      </div>
      <div className="mt-3">
        <Button
          type="submit"
          kind="primary"
          disabled={share === undefined || isSame || saving.isPending}
          title={share === undefined ? "The value above is not understood" : isSame ? "Nothing was changed" : undefined}
        >
          Save
        </Button>
      </div>
      {saving.error !== null && (
        <div className="mt-3 max-w-180">
          <RequestFailure error={saving.error} title="The setting was not saved" />
        </div>
      )}
    </form>
  );
}

/** Undefined where it is no share. */
function shareOf(typed: string): number | null | undefined {
  const text = typed.trim().replace(/\s*%$/, "");
  if (text === "") return null;
  const percent = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  return percent >= 10 && percent <= 100 ? percent / 100 : undefined;
}

/** The browser asks its person once; then a page in the background can be heard too. */
function BrowserNotices() {
  const [permission, setPermission] = useState(() =>
    typeof Notification === "undefined" ? "unsupported" : Notification.permission,
  );
  const words = {
    default: "A page that is open in the background can tell you through the browser.",
    granted: "On: the browser tells you while a page of Plimsoll is open in the background.",
    denied: "The browser refuses notifications of this page. Its site settings can allow them.",
    unsupported: "This browser has no notifications.",
  }[permission];
  return (
    <section aria-label="Browser notifications" className="mt-6 border-t border-line pt-4">
      <div className="flex flex-wrap items-center gap-2">
        {permission === "default" && (
          <Button onClick={() => void Notification.requestPermission().then(setPermission)}>Allow notifications</Button>
        )}
        <span className="text-12 text-ink-3">{words}</span>
      </div>
    </section>
  );
}
