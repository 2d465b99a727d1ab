"use client";
// How long the projects of a fleet keep their sessions, and how many bytes of them; and what was deleted.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState, type RefObject } from "react";
import { projectRetention, type ProjectRetention } from "#lib/wire/fleet-retention-schema.ts";
import { DaysField, SizeField } from "../settings/limit-fields.tsx";
import { bytesOf, bytesText, daysOf } from "../settings/typed-limits.ts";
import { ConfirmLayer } from "../shared/confirm-layer.tsx";
import { send } from "../ui/api.ts";
import { Answered } from "../ui/answered.tsx";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { Absent } from "../ui/num.tsx";
import { PlainTable, ROW, type Column } from "../ui/plain-table.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { DeletedFamilies } from "./deleted-families.tsx";
import { limitsQuery } from "./fleet-queries.ts";
import { limitsText } from "./fleet-labels.ts";
import { LimitsLayer } from "./limits-layer.tsx";
import { missingProject, ProjectField, useFirstProject } from "./project-field.tsx";

type Draft = { readonly project: string; readonly age: string; readonly most: string };

const draftOf = ({ project, days, bytes }: ProjectRetention): Draft => ({
  ...{ project, age: days === null ? "" : String(days), most: bytesText(bytes) },
});

export function LimitsTab() {
  const limits = useQuery(limitsQuery);
  const [removing, setRemoving] = useState<ProjectRetention | null>(null);
  const first = useFirstProject();
  const [draft, setDraft] = useState<Draft>({ project: first, age: "", most: "" });
  const form = useRef<HTMLFormElement>(null);
  const change = (limits: ProjectRetention) => {
    setDraft(draftOf(limits));
    // It stands above the list, which may be long.
    form.current?.querySelector<HTMLElement>("input, select")?.focus();
  };
  return (
    <div className="pb-8">
      <p className="max-w-180 text-ink-2">
        Without limits a project keeps everything. Nodes apply them every 10 minutes, the oldest activity first.
      </p>
      <LimitsForm form={form} draft={draft} onDraft={setDraft} known={limits.data?.projects ?? []} />
      <Answered query={limits} what="limits" rows={2}>
        {({ projects }) =>
          projects.length === 0 ? (
            <Empty title="No limits yet">Every project keeps all that was sent to it.</Empty>
          ) : (
            <LimitsTable limits={projects} onChange={change} onRemove={setRemoving} />
          )
        }
      </Answered>
      <DeletedFamilies />
      {removing !== null && <RemoveLimits limits={removing} onClose={() => setRemoving(null)} />}
    </div>
  );
}

/** What was typed, as limits; or why it is none yet. */
function limitsOf({ project, age, most }: Draft): { limits: ProjectRetention | null; missing: string | null } {
  const [days, bytes] = [daysOf(age), bytesOf(most)];
  const none = (missing: string) => ({ limits: null, missing });
  const noProject = missingProject(project);
  if (noProject !== null) return none(noProject);
  if (days === "unknown" || bytes === "unknown") return none("A value above is not understood");
  if (bytes === 0) return none("Enter a size above 0 first");
  if (days === null && bytes === null) return none("Enter days or a size first");
  return { limits: { project: project.trim(), days, bytes }, missing: null };
}

type FormProps = {
  form: RefObject<HTMLFormElement | null>;
  draft: Draft;
  onDraft: (draft: Draft) => void;
  known: readonly ProjectRetention[];
};

function LimitsForm({ form, draft, onDraft, known }: FormProps) {
  const [isAsking, setIsAsking] = useState(false);
  const { limits, missing } = limitsOf(draft);
  const before = known.find(({ project }) => project === draft.project.trim());
  return (
    <form
      ref={form}
      aria-label="Limits of a project"
      className="mt-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (limits !== null) setIsAsking(true);
      }}
    >
      <h2 className="text-15 font-semibold">Limit a project</h2>
      <div className="mt-1 border-t border-line-strong">
        <ProjectField
          about={
            draft.project.trim() === ""
              ? "Required."
              : before === undefined
                ? "It has no limits yet."
                : `It keeps ${limitsText(before)} now. Both are replaced.`
          }
          value={draft.project}
          onChange={(project) => onDraft({ ...draft, project })}
        />
        <DaysField
          label="Longest age"
          about="Sessions without activity for longer go."
          value={draft.age}
          onChange={(age) => onDraft({ ...draft, age })}
        />
        <SizeField
          label="Most bytes"
          about="Of session files, unpacked. Above it the oldest go."
          value={draft.most}
          onChange={(most) => onDraft({ ...draft, most })}
        />
      </div>
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <Button type="submit" kind="primary" disabled={missing !== null} title={missing ?? undefined}>
          Dry run…
        </Button>
        <span className="text-12 text-ink-3">It shows what would go before anything is set.</span>
      </div>
      {isAsking && limits !== null && (
        <LimitsLayer
          limits={limits}
          onClose={() => setIsAsking(false)}
          onSaved={() => onDraft({ ...draft, age: "", most: "" })}
        />
      )}
    </form>
  );
}

const COLUMNS: readonly Column[] = [
  { name: "Project" },
  { name: "Longest age", look: "w-36" },
  { name: "Most bytes", look: "w-36" },
  { name: "Actions", look: "w-48", isSilent: true },
];

type TableProps = {
  limits: readonly ProjectRetention[];
  onChange: (limits: ProjectRetention) => void;
  onRemove: (limits: ProjectRetention) => void;
};

function LimitsTable({ limits, onChange, onRemove }: TableProps) {
  return (
    <div className="mt-6">
      <h2 className="text-15 font-semibold">Limits</h2>
      <PlainTable label="Limits" width="min-w-140" columns={COLUMNS}>
        {limits.map((one) => (
          <tr key={one.project} className={ROW}>
            <td className="pl-0! font-medium">
              <SafeText text={one.project} />
            </td>
            <td className="text-right tabular-nums">
              {one.days === null ? <Absent why="Any age" /> : formatCount(one.days, "day")}
            </td>
            <td className="text-right tabular-nums">
              {one.bytes === null ? <Absent why="Any size" /> : formatBytes(one.bytes)}
            </td>
            <td className="overflow-visible! pr-0!">
              <LimitActions onChange={() => onChange(one)} onRemove={() => onRemove(one)} />
            </td>
          </tr>
        ))}
      </PlainTable>
    </div>
  );
}

function LimitActions({ onChange, onRemove }: { onChange: () => void; onRemove: () => void }) {
  return (
    <span className="flex flex-wrap justify-end gap-1 py-1 max-md:justify-start">
      <Button small onClick={onChange}>
        Change
      </Button>
      <Button small onClick={onRemove}>
        Remove…
      </Button>
    </span>
  );
}

function RemoveLimits({ limits, onClose }: { limits: ProjectRetention; onClose: () => void }) {
  const queries = useQueryClient();
  return (
    <ConfirmLayer
      title="Remove these limits?"
      labels={{ keep: "Keep them", act: "Remove", failed: "They were not removed" }}
      run={async () => {
        const none = { project: limits.project, days: null, bytes: null };
        await send("PUT", "/api/fleet/retention", projectRetention, none);
        await queries.invalidateQueries({ queryKey: limitsQuery.queryKey });
      }}
      onClose={onClose}
    >
      <p>
        <b className="font-semibold text-ink">
          <SafeText text={limits.project} />
        </b>{" "}
        keeps everything from now on. What was deleted stays deleted.
      </p>
    </ConfirmLayer>
  );
}
