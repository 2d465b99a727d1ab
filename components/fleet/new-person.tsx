"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  EMAIL_CHARS,
  PERSON_ROLES,
  personRoleAnswer,
  type FleetPerson,
  type PersonRole,
  type PersonRoleAnswer,
} from "#lib/wire/fleet-people-schema.ts";
import { useManages } from "../ui/access-context.ts";
import { send } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { Choice, Field, Options, TextInput } from "../ui/field.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { peopleQuery } from "./fleet-queries.ts";
import { ROLE_WORDS, roleIn } from "./fleet-labels.ts";
import { missingProject, ProjectField, useFirstProject } from "./project-field.tsx";

const FLEET = "fleet";

type NewPersonProps = { people: readonly FleetPerson[]; onLink: (person: FleetPerson) => void };

/** Gives somebody their first role, or another. */
export function NewPerson({ people, onLink }: NewPersonProps) {
  const queries = useQueryClient();
  const isAll = useManages() === "all";
  const first = useFirstProject();
  const [typed, setTyped] = useState("");
  const [role, setRole] = useState<PersonRole | typeof FLEET>("reader");
  const [project, setProject] = useState(first);
  const email = typed.trim().toLowerCase();
  const isFleet = role === FLEET;
  const known = people.find((one) => one.email === email);
  const before = known === undefined ? null : roleIn(known, project.trim());
  const giving = useMutation({
    mutationFn: () =>
      send("PUT", "/api/fleet/people", personRoleAnswer, {
        ...{ email, project: isFleet ? null : project.trim(), role: isFleet ? "admin" : role },
      }),
    onSuccess: async () => {
      setTyped("");
      await queries.invalidateQueries({ queryKey: peopleQuery.queryKey });
    },
  });
  const missing = email === "" ? "Enter an e-mail address first" : isFleet ? null : missingProject(project);
  return (
    <form
      aria-label="Add a person"
      className="mt-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (missing === null) giving.mutate();
      }}
    >
      <h2 className="text-15 font-semibold">Add a person</h2>
      <div className="mt-1 border-t border-line-strong">
        <Field label="E-mail address" about="As their identity provider has it. Required.">
          {(props) => (
            <TextInput
              {...props}
              inputMode="email"
              value={typed}
              maxLength={EMAIL_CHARS}
              placeholder="mary@example.com"
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
        <Field
          label="Role"
          about={
            isFleet
              ? "Sees and manages every project, and makes other admins."
              : before === null || before === role
                ? ROLE_WORDS[role]
                : `Replaces the role ${before} that they have there.`
          }
        >
          {(props) => (
            <Choice {...props} value={role} onChange={(event) => setRole(event.target.value as typeof role)}>
              <Options values={PERSON_ROLES} />
              {isAll && <option value={FLEET}>admin of the fleet</option>}
            </Choice>
          )}
        </Field>
        {!isFleet && <ProjectField about="The role is in this project alone." value={project} onChange={setProject} />}
      </div>
      <div className="mt-3">
        <Button
          type="submit"
          kind="primary"
          disabled={missing !== null || giving.isPending}
          title={missing ?? (giving.isPending ? "Saving" : undefined)}
        >
          Add person
        </Button>
      </div>
      {giving.error !== null && (
        <div className="mt-3">
          <RequestFailure error={giving.error} title="The role was not given" />
        </div>
      )}
      <div aria-live="polite">
        {giving.data !== undefined && giving.error === null && (
          <Given answer={giving.data} onLink={isAll ? onLink : null} />
        )}
      </div>
    </form>
  );
}

type GivenProps = { answer: PersonRoleAnswer; onLink: ((person: FleetPerson) => void) | null };

/** What they are from now on, and how they come in. */
function Given({ answer: { email, project, role, isChanged }, onLink }: GivenProps) {
  return (
    <section aria-label="Added" className="mt-4 border-l-2 border-ink bg-sunk px-4 py-3">
      <p className="font-medium">
        <SafeText text={email} /> {isChanged ? "is" : "was already"} {role} of{" "}
        {project === null ? "the fleet" : <SafeText text={project} />}.
      </p>
      <p className="mt-1 flex flex-wrap items-center gap-2 text-ink-2">
        Nodes know it within 5 seconds.
        {onLink !== null && (
          <Button small onClick={() => onLink({ email, name: "", isAdmin: project === null, seenAt: null, roles: {} })}>
            Sign-in link…
          </Button>
        )}
      </p>
    </section>
  );
}
