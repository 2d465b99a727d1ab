"use client";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useParams } from "next/navigation";
import { sessionQuery } from "../shared/session-queries.ts";
import { failureOf } from "../ui/api.ts";
import { buttonClass } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";

/** The API says why there is none: at a node of a fleet it may have been deleted, and who can restore it. */
export function SessionNotFound() {
  const { id } = useParams<{ id: string }>();
  const { error } = useQuery({ ...sessionQuery(id), retry: false });
  return (
    <div className="mx-auto w-full max-w-140 px-6 pt-24">
      <h1 className="sr-only">Not found</h1>
      <Empty
        title="Session not found"
        actions={
          <Link href="/" className={buttonClass("primary")}>
            All sessions
          </Link>
        }
      >
        {error === null ? "Loading the reason" : failureOf(error).message}
      </Empty>
    </div>
  );
}
