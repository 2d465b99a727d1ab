"use client";
// Who may sign in at the nodes of a fleet, and the roles that they have.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { removedPerson, type FleetPerson } from "#lib/wire/fleet-people-schema.ts";
import { ConfirmLayer } from "../shared/confirm-layer.tsx";
import { useManages } from "../ui/access-context.ts";
import { send } from "../ui/api.ts";
import { Answered } from "../ui/answered.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Absent } from "../ui/num.tsx";
import { PlainTable, ROW, type Column } from "../ui/plain-table.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { fleetTokensQuery, peopleQuery } from "./fleet-queries.ts";
import { isNamed, MOST_ROWS, roleTexts, tokenNames } from "./fleet-labels.ts";
import { ListHead } from "./list-head.tsx";
import { NewPerson } from "./new-person.tsx";
import { RolesLayer } from "./roles-layer.tsx";
import { SignInLinkLayer } from "./sign-in-link-layer.tsx";

type Layer = { readonly of: "roles" | "link" | "remove"; readonly person: FleetPerson };

export function PeopleTab() {
  const listed = useQuery(peopleQuery);
  const [layer, setLayer] = useState<Layer | null>(null);
  const isAll = useManages() === "all";
  const close = () => setLayer(null);
  // As the list has them: a save that stops half-way has changed some of their roles.
  const shown = listed.data?.people.find(({ email }) => email === layer?.person.email) ?? layer?.person;
  return (
    <div className="pb-8">
      <p className="max-w-180 text-ink-2">
        People are known by their e-mail address. They sign in at <code className="mono">/sign-in</code>, by identity
        provider or link. {!isAll && "Links come from an admin of the fleet."}
      </p>
      <NewPerson people={listed.data?.people ?? []} onLink={(person) => setLayer({ of: "link", person })} />
      <Answered query={listed} what="people" rows={4}>
        {({ people }) =>
          people.length === 0 ? (
            <Empty title="No people yet">
              {isAll
                ? "Only links that nodes print, and tokens, have access. Add the first admin of the fleet above."
                : "Add a person above: they see your project’s sessions once they sign in."}
            </Empty>
          ) : (
            <PeopleTable people={people} onOpen={setLayer} />
          )
        }
      </Answered>
      {layer !== null && shown !== undefined && <PersonLayer of={layer.of} person={shown} onClose={close} />}
    </div>
  );
}

function PersonLayer({ of, ...props }: Layer & { onClose: () => void }) {
  if (of === "roles") return <RolesLayer {...props} />;
  if (of === "link") return <SignInLinkLayer email={props.person.email} onClose={props.onClose} />;
  return <RemovePerson {...props} />;
}

const COLUMNS: readonly Column[] = [
  { name: "Person" },
  { name: "Roles", look: "w-[36%]", isText: true },
  { name: "Last sign-in", look: "w-36", isText: true },
  { name: "Actions", look: "w-76", isSilent: true },
];

const SHOWN_ROLES = 3;

type TableProps = { people: readonly FleetPerson[]; onOpen: (layer: Layer) => void };

function PeopleTable({ people, onOpen }: TableProps) {
  const [words, setWords] = useState("");
  const isAll = useManages() === "all";
  const found = people.filter((one) => isNamed([one.email, one.name, ...roleTexts(one)], words));
  return (
    <div className="mt-6">
      <ListHead
        title="People"
        search="Search people and projects"
        words={words}
        onWords={setWords}
        found={found.length}
      />
      {found.length === 0 && <p className="py-2 text-ink-2">No person matches the search.</p>}
      {found.length > 0 && (
        <PlainTable label="People" width="min-w-220" columns={COLUMNS}>
          {found.slice(0, MOST_ROWS).map((person) => (
            <tr key={person.email} className={ROW}>
              <td className="pl-0!">
                <span className="font-medium">
                  <SafeText text={person.email} />
                </span>{" "}
                <span className="text-ink-3">
                  <SafeText text={person.name} />
                </span>
              </td>
              <td title={roleTexts(person).join(", ")}>
                <Roles person={person} />
              </td>
              <td>{person.seenAt === null ? <Absent why="Never signed in" /> : <When ts={person.seenAt} />}</td>
              <td className="overflow-visible! pr-0!">
                <span className="flex flex-wrap justify-end gap-1 py-1 max-md:justify-start">
                  <Button small onClick={() => onOpen({ of: "roles", person })}>
                    Roles…
                  </Button>
                  {isAll && (
                    <Button small onClick={() => onOpen({ of: "link", person })}>
                      Sign-in link…
                    </Button>
                  )}
                  {isAll && (
                    <Button small onClick={() => onOpen({ of: "remove", person })}>
                      Remove…
                    </Button>
                  )}
                </span>
              </td>
            </tr>
          ))}
        </PlainTable>
      )}
    </div>
  );
}

function Roles({ person }: { person: FleetPerson }) {
  const texts = roleTexts(person);
  if (texts.length === 0) return <Absent why="No role: they cannot sign in" />;
  const left = texts.length - SHOWN_ROLES;
  return (
    <span className="inline-flex max-w-full flex-wrap gap-1 py-1">
      {texts.slice(0, SHOWN_ROLES).map((text) => (
        <Badge key={text}>
          <SafeText text={text} />
        </Badge>
      ))}
      {left > 0 && <span className="text-12 text-ink-3">and {left} more</span>}
    </span>
  );
}

function RemovePerson({ person, onClose }: { person: FleetPerson; onClose: () => void }) {
  const queries = useQueryClient();
  const tokens = useQuery(fleetTokensQuery);
  const own = tokens.data?.tokens.filter((one) => one.person === person.email && one.state === "live");
  const texts = roleTexts(person);
  return (
    <ConfirmLayer
      title="Remove this person?"
      labels={{ keep: "Keep them", act: "Remove", failed: "They were not removed" }}
      run={async () => {
        await send("DELETE", `/api/fleet/people/${encodeURIComponent(person.email)}`, removedPerson, {});
        await queries.invalidateQueries({ queryKey: ["fleet"] });
      }}
      onClose={onClose}
    >
      <p>
        <b className="font-semibold break-all text-ink">
          <SafeText text={person.email} />
        </b>{" "}
        is refused within 5 seconds. What goes:
      </p>
      <ul className="mt-2 list-disc pl-5">
        <li>
          roles: <SafeText text={texts.length === 0 ? "none" : texts.join(", ")} />
        </li>
        <li>sign-in links, browsers that are signed in, and saved searches</li>
        <li>
          tokens in their name
          {own !== undefined && (
            <>
              : <SafeText text={tokenNames(own)} />
            </>
          )}
        </li>
      </ul>
      {own?.length !== 0 && (
        <p className="mt-2 font-medium text-ink">Senders that use one of these tokens stop until they have another.</p>
      )}
      <p className="mt-2">
        Their sessions and the audit log stay. Groups of an identity provider may give roles again.
      </p>
    </ConfirmLayer>
  );
}
