"use client";
import { Button } from "#components/ui/button.tsx";
import { Failure } from "#components/ui/failure.tsx";
import { failureOf } from "#components/ui/api.ts";

export default function ErrorPage({ error }: { error: Error & { digest?: string } }) {
  const { code, message } = failureOf(error);
  const { digest } = error;
  return (
    <div className="mx-auto w-full max-w-140 px-6 pt-24">
      <Failure
        code={code}
        title="This page could not be shown"
        // What the server could not make is asked of it again.
        action={<Button onClick={() => location.reload()}>Try again</Button>}
      >
        {/* Words are those of orNotFound(); of a bug there is a number alone. */}
        {digest?.includes(" ")
          ? digest
          : digest
            ? `${message} The log has it under ${digest}.`
            : error.name === "ChunkLoadError"
              ? "A part of it was not loaded: Plimsoll has stopped, or was updated."
              : message}
      </Failure>
    </div>
  );
}
