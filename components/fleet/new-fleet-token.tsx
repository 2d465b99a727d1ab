"use client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { createdFleetToken, EMAIL_CHARS, FLEET_SCOPES, type CreatedFleetToken } from "#lib/wire/fleet-people-schema.ts";
import { ShownOnce } from "../shared/shown-once.tsx";
import { TokenForm } from "../shared/token-form.tsx";
import { useManages } from "../ui/access-context.ts";
import { send } from "../ui/api.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Check, Field, Options, TextInput } from "../ui/field.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { fleetTokensQuery, peopleQuery } from "./fleet-queries.ts";
import { FLEET_SCOPE_WORDS, usesOf } from "./fleet-labels.ts";
import { missingProject, ProjectField, useFirstProject } from "./project-field.tsx";

export function NewFleetToken() {
  const queries = useQueryClient();
  const isAll = useManages() === "all";
  const first = useFirstProject();
  const [project, setProject] = useState(first);
  const [isEvery, setIsEvery] = useState(false);
  const [person, setPerson] = useState("");
  const [made, setMade] = useState<CreatedFleetToken | null>(null);
  return (
    <>
      <TokenForm
        scopes={{ all: FLEET_SCOPES, labels: FLEET_SCOPE_WORDS, standard: "send" }}
        name={{ about: "The machine or script that uses it.", example: "build server" }}
        missing={isEvery ? null : missingProject(project)}
        onCreate={async (token) => {
          const body = { ...token, project: isEvery ? null : project.trim(), person: person.trim() || null };
          setMade(await send("POST", "/api/fleet/tokens", createdFleetToken, body));
          await queries.invalidateQueries({ queryKey: fleetTokensQuery.queryKey });
        }}
      >
        {!isEvery && (
          <ProjectField about="It is for this project alone. Required." value={project} onChange={setProject} />
        )}
        {isAll && (
          <Field label="All projects" about="Also those that come later." standard="off">
            {(props) => <Check {...props} checked={isEvery} onChange={setIsEvery} />}
          </Field>
        )}
        <PersonField value={person} onChange={setPerson} />
      </TokenForm>
      {made !== null && <MadeToken key={made.id} token={made} onDone={() => setMade(null)} />}
    </>
  );
}

function PersonField({ value, onChange }: { value: string; onChange: (person: string) => void }) {
  const list = useId();
  const people = useQuery(peopleQuery).data?.people ?? [];
  return (
    <Field
      label="Person"
      about="Usage counts what it sends as theirs. It does no more than they may."
      standard="no person"
    >
      {(props) => (
        <>
          <datalist id={list}>
            <Options values={people.map(({ email }) => email)} />
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

function MadeToken({ token, onDone }: { token: CreatedFleetToken; onDone: () => void }) {
  return (
    <ShownOnce
      label="The new token"
      title={
        <>
          Copy the token for <SafeText text={token.name} /> now.
        </>
      }
      secret={token.token}
      onDone={onDone}
    >
      {usesOf(token, location.origin).map(({ about, lines }) => (
        <div key={about} className="mt-3">
          <p className="flex flex-wrap items-center gap-2 text-ink-2">
            {about}
            <CopyButton text={() => lines.join("\n")}>Copy command</CopyButton>
          </p>
          <pre className="mono mt-1 break-all whitespace-pre-wrap text-ink">{lines.join("\n")}</pre>
        </div>
      ))}
    </ShownOnce>
  );
}
