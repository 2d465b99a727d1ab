"use client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  PERSON_ROLES,
  personRoleAnswer,
  type FleetPerson,
  type PersonRole,
  type PersonRoleAnswer,
} from "#lib/wire/fleet-people-schema.ts";
import { useManages, usePerson } from "../ui/access-context.ts";
import { send } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { Check, Choice, Field, Options } from "../ui/field.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { fleetTokensQuery, peopleQuery } from "./fleet-queries.ts";
import { endingTokens, ROLE_WORDS, roleChanges, tokenNames, type RoleDraft } from "./fleet-labels.ts";
import { missingProject, ProjectField } from "./project-field.tsx";

const NONE = "none";

/** The roles of one person in the projects that whoever looks manages. */
export function RolesLayer({ person, onClose }: { person: FleetPerson; onClose: () => void }) {
  const queries = useQueryClient();
  const manages = useManages();
  const isSelf = usePerson() === person.email;
  const [draft, setDraft] = useState<RoleDraft>({
    isAdmin: person.isAdmin === true,
    roles: { ...(manages === "all" ? {} : Object.fromEntries(manages.map((one) => [one, null]))), ...person.roles },
  });
  const [other, setOther] = useState("");
  const give = (project: string, role: PersonRole | null) =>
    setDraft((now) => ({ ...now, roles: { ...now.roles, [project]: role } }));
  const changes = roleChanges(person, draft);
  const ending = endingTokens(person, draft, useQuery(fleetTokensQuery).data?.tokens ?? []);
  const whyNot =
    other.trim() !== ""
      ? "Add the other project as reader first, or empty its field"
      : changes.length === 0
        ? "Nothing was changed"
        : null;
  const saving = useMutation({
    mutationFn: async () => {
      const kept: PersonRoleAnswer[] = [];
      try {
        for (const change of changes) {
          const answer = await send("PUT", "/api/fleet/people", personRoleAnswer, change);
          if (!answer.isChanged) kept.push(answer);
        }
      } finally {
        const lists = [peopleQuery, fleetTokensQuery];
        await Promise.all(lists.map(({ queryKey }) => queries.invalidateQueries({ queryKey })));
      }
      return kept;
    },
    onSuccess: (kept) => kept.length === 0 && onClose(),
  });
  const losesOwn =
    isSelf && changes.some(({ project, role }) => role !== "admin" && (project === null || manages !== "all"));
  return (
    <Dialog open onClose={onClose} title="Roles" width={720}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate();
        }}
      >
        <p className="pb-2 font-medium break-all">
          <SafeText text={person.email} />
        </p>
        <div className="border-t border-line-strong">
          {manages === "all" && (
            <Field label="Admin of the fleet" about="Sees and manages every project. One admin stays.">
              {(props) => (
                <Check
                  {...props}
                  checked={draft.isAdmin}
                  onChange={(isAdmin) => setDraft((now) => ({ ...now, isAdmin }))}
                />
              )}
            </Field>
          )}
          {Object.entries(draft.roles)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([project, role]) => (
              <Field key={project} label={project} about={role === null ? "Sees none of it." : ROLE_WORDS[role]}>
                {(props) => (
                  <Choice
                    {...props}
                    value={role ?? NONE}
                    onChange={({ target: { value } }) =>
                      give(project, PERSON_ROLES.find((one) => one === value) ?? null)
                    }
                  >
                    <Options values={PERSON_ROLES} />
                    <option value={NONE}>no role</option>
                  </Choice>
                )}
              </Field>
            ))}
          {manages === "all" && (
            <ProjectField
              label="Another project"
              about={
                <Button
                  small
                  disabled={missingProject(other) !== null}
                  title={missingProject(other) ?? undefined}
                  onClick={() => {
                    give(other.trim(), "reader");
                    setOther("");
                  }}
                >
                  Add as reader
                </Button>
              }
              value={other}
              onChange={setOther}
            />
          )}
        </div>
        {ending.length > 0 && (
          <p className="mt-3 font-medium">
            These tokens in their name end: <SafeText text={tokenNames(ending)} />. Senders that use one stop.
          </p>
        )}
        {losesOwn && <p className="mt-3 font-medium">This is your own role. Without it you no longer manage this.</p>}
        {saving.error !== null && (
          <div className="mt-3">
            <RequestFailure error={saving.error} title="Not every role was changed" />
          </div>
        )}
        {(saving.data?.length ?? 0) > 0 && (
          <p role="alert" className="mt-3 font-medium">
            A role comes from groups of the identity provider. Change it there.
          </p>
        )}
        <div className="mt-4 flex flex-wrap items-center justify-end gap-2">
          <span className="flex-1 text-12 text-ink-3">
            Their tokens do no more than this. Each change is a row of the audit log.
          </span>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            kind="primary"
            disabled={whyNot !== null || saving.isPending}
            title={whyNot ?? (saving.isPending ? "Saving" : undefined)}
          >
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
