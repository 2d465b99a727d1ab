"use client";
// A page over all sessions, before there is one: what it will show, and where sessions are added.
import Link from "next/link";
import { buttonClass } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";

/** Where sessions are added. */
export const AddSessions = () => (
  <Link href="/" className={buttonClass()}>
    Add sessions
  </Link>
);

export function NoSessionsYet({ children }: { children: string }) {
  return (
    <Empty title="No sessions yet" actions={<AddSessions />}>
      {children}
    </Empty>
  );
}
