"use client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "next/navigation";
import { sessionQuery } from "../shared/session-queries.ts";
import { failureOf } from "../ui/api.ts";
import { NotFoundPage } from "../ui/not-found.tsx";

/** The API says why there is none: at a node of a fleet it may have been deleted, and who can restore it. */
export function SessionNotFound() {
  const { id } = useParams<{ id: string }>();
  const { error } = useQuery({ ...sessionQuery(id), retry: false });
  return (
    <NotFoundPage title="Session not found">
      {error === null ? "Loading the reason" : failureOf(error).message}
    </NotFoundPage>
  );
}
