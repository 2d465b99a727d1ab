"use client";
// What any token is made of: a name, what it may do, and when it ends. What else it has stands between.
import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { Choice, Field, Options, TextInput } from "../ui/field.tsx";

const DAYS = [7, 30, 90, 365, null] as const;

type Asked<Scope> = { readonly name: string; readonly scope: Scope; readonly days: number | null };

type TokenFormProps<Scope extends string> = {
  /** Each with what a token of it does: `reads its project`. */
  scopes: {
    readonly all: readonly Scope[];
    readonly labels: Readonly<Record<Scope, string>>;
    readonly standard: Scope;
  };
  /** Who uses it, and an example. */
  name: { readonly about: string; readonly example: string };
  /** Why it cannot be made yet, beside a name that is missing. */
  missing?: string | null;
  onCreate: (token: Asked<Scope>) => Promise<void>;
  children: ReactNode;
};

export function TokenForm<Scope extends string>(props: TokenFormProps<Scope>) {
  const { all, labels, standard } = props.scopes;
  const [name, setName] = useState("");
  const [scope, setScope] = useState<Scope>(standard);
  const [days, setDays] = useState<(typeof DAYS)[number]>(90);
  const making = useMutation({
    mutationFn: () => props.onCreate({ name: name.trim(), scope, days }),
    onSuccess: () => setName(""),
  });
  const missing = name.trim() === "" ? "Enter a name first" : (props.missing ?? null);
  return (
    <>
      <form
        aria-label="New token"
        className="mt-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (missing === null) making.mutate();
        }}
      >
        <h2 className="text-15 font-semibold">New token</h2>
        <div className="mt-1 border-t border-line-strong">
          <Field label="Name" about={`${props.name.about} Required.`}>
            {(field) => (
              <TextInput
                {...field}
                value={name}
                maxLength={200}
                placeholder={props.name.example}
                onChange={(event) => setName(event.target.value)}
              />
            )}
          </Field>
          <Field label="Scope" about={`It ${labels[scope]}.`} standard={standard}>
            {(field) => (
              <Choice
                {...field}
                value={scope}
                onChange={({ target: { value } }) => setScope(all.find((one) => one === value) ?? standard)}
              >
                <Options values={all} />
              </Choice>
            )}
          </Field>
          {props.children}
          <Field label="Expires" about="Requests after that day are refused." standard="in 90 days">
            {(field) => (
              <Choice
                {...field}
                value={String(days)}
                onChange={(event) => setDays(DAYS.find((one) => String(one) === event.target.value) ?? null)}
              >
                <Options
                  values={DAYS.map(String)}
                  labelOf={(one) => (one === String(null) ? "never" : `in ${one} days`)}
                />
              </Choice>
            )}
          </Field>
        </div>
        <div className="mt-3">
          <Button
            type="submit"
            kind="primary"
            disabled={missing !== null || making.isPending}
            title={missing ?? (making.isPending ? "It is being made" : undefined)}
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
    </>
  );
}
