"use client";
// Branch, commits and pull requests of a session, in the line under its title.
import { useQuery } from "@tanstack/react-query";
import { GitBranch, GitCommitHorizontal, GitPullRequest } from "lucide-react";
import { useRouter } from "next/navigation";
import type { SessionGit } from "#lib/wire/session-git-schema.ts";
import { gitQuery } from "../shared/session-queries.ts";
import { formatCount } from "../ui/format.ts";
import { Menu } from "../ui/menu.tsx";
import { SafeText } from "../ui/safe-text.tsx";

export function useGit(id: string): SessionGit | undefined {
  return useQuery(gitQuery(id)).data;
}

export const hasGit = (git: SessionGit | undefined): git is SessionGit =>
  git !== undefined && (git.branch !== null || git.commits.length > 0 || git.pulls.length > 0);

export function GitFacts({ id, git: { branch, commits, pulls } }: { id: string; git: SessionGit }) {
  const router = useRouter();
  const own = commits.filter(({ from }) => from === "log");
  const others = commits.filter(({ from }) => from === "repository");
  const itemOf = ({ sha, subject, seq, exists }: SessionGit["commits"][number]) => ({
    id: sha,
    label: (
      <>
        <span className="mono">{sha.slice(0, 8)}</span> <SafeText text={subject.slice(0, 80)} />
      </>
    ),
    hint: exists === false ? "rewritten or dropped" : undefined,
    onPick: () =>
      seq === null ? void navigator.clipboard?.writeText(sha) : router.push(`/sessions/${id}?event=${seq}`),
  });
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2" data-testid="git">
      {branch !== null && (
        <span className="flex items-center gap-1 text-ink-2" title="Git branch, as the agent wrote it down">
          <GitBranch size={12} aria-hidden="true" />
          <span className="max-w-50 truncate">
            <SafeText text={branch} />
          </span>
        </span>
      )}
      {own.length > 0 && (
        <Menu
          label="Commits of this session"
          triggerClass="link flex items-center gap-1"
          trigger={
            <>
              <GitCommitHorizontal size={12} aria-hidden="true" />
              {formatCount(own.length, "commit")}
            </>
          }
          items={own.map(itemOf)}
        />
      )}
      {others.length > 0 && (
        <Menu
          label="Other commits in the repository meanwhile; picking one copies its name"
          triggerClass="link"
          trigger={`${others.length} meanwhile`}
          items={others.map(itemOf)}
        />
      )}
      {pulls.map(({ url, number, seq }) => (
        <a
          key={url}
          href={url}
          rel="noreferrer"
          target="_blank"
          title={`${url}, named at event ${seq}`}
          className="link flex items-center gap-1"
        >
          <GitPullRequest size={12} aria-hidden="true" />#{number}
        </a>
      ))}
    </span>
  );
}
