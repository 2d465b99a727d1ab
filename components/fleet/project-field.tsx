"use client";
import { useId, type ReactNode } from "react";
import { DEFAULT_PROJECT, fleetProject } from "#lib/wire/fleet-schema.ts";
import { useManages } from "../ui/access-context.ts";
import { Choice, Field, Options, TextInput } from "../ui/field.tsx";
import { useProjectNames } from "./fleet-queries.ts";

type ProjectFieldProps = { label?: string; about: ReactNode; value: string; onChange: (project: string) => void };

/** Why this is no name of a project; null for one that is, and for nothing yet. */
export function projectProblem(typed: string): string | null {
  const checked = fleetProject.safeParse(typed.trim());
  return typed.trim() === "" || checked.success ? null : "Up to 63 of a–z, 0–9, . _ and -; a letter or digit first.";
}

/** Why a form without a usable project cannot be sent, or null. */
export const missingProject = (typed: string): string | null =>
  typed.trim() === "" || projectProblem(typed) !== null ? "Enter a project first" : null;

/** One of the projects that they manage; an admin of the fleet may name a new one. */
export function ProjectField({ label = "Project", about, value, onChange }: ProjectFieldProps) {
  const list = useId();
  const manages = useManages();
  const names = useProjectNames();
  return (
    <Field label={label} about={about} wrong={projectProblem(value)}>
      {(props) =>
        manages === "all" ? (
          <>
            <datalist id={list}>
              <Options values={names} />
            </datalist>
            <TextInput
              {...props}
              list={list}
              value={value}
              maxLength={63}
              placeholder={names[0] ?? DEFAULT_PROJECT}
              onChange={(event) => onChange(event.target.value)}
            />
          </>
        ) : (
          <Choice {...props} value={value} onChange={(event) => onChange(event.target.value)}>
            <Options values={names} />
          </Choice>
        )
      }
    </Field>
  );
}

/** What the field begins with: their only choice, or nothing. */
export function useFirstProject(): string {
  const manages = useManages();
  return manages === "all" ? "" : (manages.toSorted()[0] ?? "");
}
