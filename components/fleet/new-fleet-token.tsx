"use client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import {
  createdFleetToken,
  EMAIL_CHARS,
  FLEET_SCOPES,
  type CreatedFleetToken,
  type FleetScope,
} from "#lib/wire/fleet-people-schema.ts";
import { useManages } from "../ui/access-context.ts";
import { send } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { Check, Choice, Field, TextInput } from "../ui/field.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { fleetTokensQuery, peopleQuery } from "./fleet-queries.ts";
import { FLEET_SCOPE_WORDS, usesOf } from "./fleet-labels.ts";
import { ProjectField, projectProblem, useFirstProject } from "./project-field.tsx";

const DAYS = [7, 30, 90, 365, null] as const;

type NewFleetTokenProps = { made: CreatedFleetToken | null; onMade: (token: CreatedFleetToken | null) => void };

export function NewFleetToken({ made, onMade }: NewFleetTokenProps) {
  const queries = useQueryClient();
  const isAll = useManages() === "all";
  const first = useFirstProject();
  const [name, setName] = useState("");
  const [scope, setScope] = useState<FleetScope>("send");
  const [project, setProject] = useState(first);
  const [isEvery, setIsEvery] = useState(false);
  const [person, setPerson] = useState("");
  const [days, setDays] = useState<(typeof DAYS)[number]>(90);
  const making = useMutation({
    mutationFn: () =>
      send("POST", "/api/fleet/tokens", createdFleetToken, {
        ...{ name: name.trim(), scope, days, project: isEvery ? null : project.trim() },
        person: person.trim() === "" ? null : person.trim(),
      }),
    onSuccess: async (token) => {
      onMade(token);
      setName("");
      await queries.invalidateQueries({ queryKey: fleetTokensQuery.queryKey });
    },
    // Its answer holds the token.
    gcTime: 0,
  });
  const missing =
    name.trim() === ""
      ? "Enter a name first"
      : !isEvery && (project.trim() === "" || projectProblem(project) !== null)
        ? "Enter a project first"
        : null;
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
          <Field label="Name" about="The machine or script that uses it. Required.">
            {(props) => (
              <TextInput
                {...props}
                value={name}
                maxLength={200}
                placeholder="build server"
                onChange={(event) => setName(event.target.value)}
              />
            )}
          </Field>
          <Field label="Scope" about={`It ${FLEET_SCOPE_WORDS[scope]}.`} standard="send">
            {(props) => (
              <Choice {...props} value={scope} onChange={(event) => setScope(event.target.value as FleetScope)}>
                {FLEET_SCOPES.map((one) => (
                  <option key={one} value={one}>
                    {one}
                  </option>
                ))}
              </Choice>
            )}
          </Field>
          {!isEvery && (
            <ProjectField about="It is for this project alone. Required." value={project} onChange={setProject} />
          )}
          {isAll && (
            <Field label="All projects" about="Also those that come later." standard="off">
              {(props) => <Check {...props} checked={isEvery} onChange={setIsEvery} />}
            </Field>
          )}
          <PersonField value={person} onChange={setPerson} />
          <Field label="Expires" about="Requests after that day are refused." standard="in 90 days">
            {(props) => (
              <Choice
                {...props}
                value={String(days)}
                onChange={(event) => setDays(DAYS.find((one) => String(one) === event.target.value) ?? null)}
              >
                {DAYS.map((one) => (
                  <option key={String(one)} value={String(one)}>
                    {one === null ? "never" : `in ${one} days`}
                  </option>
                ))}
              </Choice>
            )}
          </Field>
        </div>
        <div className="mt-3">
          <Button
            type="submit"
            kind="primary"
            disabled={missing !== null || making.isPending}
            title={missing ?? undefined}
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
      {made !== null && <ShownToken token={made} onDone={() => onMade(null)} />}
    </>
  );
}

function PersonField({ value, onChange }: { value: string; onChange: (person: string) => void }) {
  const list = useId();
  const people = useQuery(peopleQuery).data?.people ?? [];
  return (
    <Field label="Person" about="Usage by person counts what it sends as theirs." standard="no person">
      {(props) => (
        <>
          <datalist id={list}>
            {people.map(({ email }) => (
              <option key={email} value={email}>
                {email}
              </option>
            ))}
          </datalist>
          <TextInput
            {...props}
            list={list}
            inputMode="email"
            value={value}
            maxLength={EMAIL_CHARS}
            placeholder="no person"
            onChange={(event) => onChange(event.target.value)}
          />
        </>
      )}
    </Field>
  );
}

/** The one time that it is shown. It lives in this page's memory and nowhere else of the browser. */
function ShownToken({ token, onDone }: { token: CreatedFleetToken; onDone: () => void }) {
  return (
    <section aria-label="The new token" className="mt-4 border-l-2 border-ink bg-sunk px-4 py-3">
      <p className="font-medium">
        Copy the token for <SafeText text={token.name} /> now. It is not shown again.
      </p>
      <p className="mt-1 flex flex-wrap items-center gap-2">
        <code className="mono break-all">{token.token}</code>
        <CopyButton text={() => token.token}>Copy</CopyButton>
        <Button small onClick={onDone}>
          Done
        </Button>
      </p>
      {usesOf(token, location.origin).map(({ about, lines }) => (
        <div key={about} className="mt-3">
          <p className="flex flex-wrap items-center gap-2 text-ink-2">
            {about}
            <CopyButton text={() => lines.join("\n")}>Copy command</CopyButton>
          </p>
          <pre className="mono mt-1 break-all whitespace-pre-wrap text-ink">{lines.join("\n")}</pre>
        </div>
      ))}
    </section>
  );
}
