"use client";
import { Button } from "#components/ui/button.tsx";
import { Failure } from "#components/ui/failure.tsx";
import { failureOf } from "#components/ui/api.ts";

type PageError = Error & { digest?: string };

export default function ErrorPage({ error }: { error: PageError }) {
  const { code, message } = failureOf(error);
  return (
    <div className="mx-auto w-full max-w-140 px-6 pt-24">
      <Failure
        code={code}
        title="This page could not be shown"
        // What the server could not make is asked of it again.
        action={<Button onClick={() => location.reload()}>Try again</Button>}
      >
        {reasonOf(error, message)}
      </Failure>
    </div>
  );
}

/** Words are those of orNotFound(); of a bug there is a number alone. */
function reasonOf({ name, digest }: PageError, message: string): string {
  if (digest?.includes(" ")) return digest;
  if (digest) return `Plimsoll failed to make this page. Its log has the details under ${digest}.`;
  return name === "ChunkLoadError" ? "A part of it was not loaded: Plimsoll has stopped, or was updated." : message;
}
