"use client";
// One endpoint: its line, and below it what it takes, what it answers, and an example to copy.
import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { CopyButton } from "../ui/copy-button.tsx";
import type { Operation } from "./api-document.ts";
import { schemaText } from "./schema-text.ts";

type OperationRowProps = { operation: Operation; isOpen: boolean; onToggle: () => void };

export function OperationRow({ operation, isOpen, onToggle }: OperationRowProps) {
  return (
    <li className="border-b border-line">
      <h3>
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={onToggle}
          className="grid min-h-8 w-full grid-cols-[14px_56px_minmax(0,3fr)_minmax(0,2fr)] items-center gap-x-2 py-1 text-left hover:bg-sunk max-md:grid-cols-[14px_56px_minmax(0,1fr)]"
        >
          <ChevronRight size={14} aria-hidden="true" className={isOpen ? "rotate-90" : ""} />
          <span className="mono text-12 font-medium">{operation.method}</span>
          <span className="mono text-12 break-all">{operation.path}</span>
          <span className="text-ink-2 max-md:col-start-3">{operation.summary}</span>
        </button>
      </h3>
      {isOpen && <Details operation={operation} />}
    </li>
  );
}

const ACCESS: Readonly<Record<string, string>> = {
  token: "a token or a signed-in browser",
  browser: "a signed-in browser only",
  commandLine: "the command line only",
};

function Details({ operation }: { operation: Operation }) {
  const { description, security, parameters, requestBody, responses, "x-codeSamples": samples } = operation;
  const [access = ""] = security.flatMap((one) => Object.keys(one));
  const body = Object.entries(requestBody?.content ?? {})[0];
  const answer = Object.entries(responses["2XX"]?.content ?? {})[0];
  return (
    <div className="grid gap-4 pt-1 pb-5 pl-6 max-md:pl-0">
      <p className="text-ink-2">{access === "" ? "Open: no sign-in." : `For ${ACCESS[access]}. ${description}`}</p>
      {parameters.length > 0 && <Parameters operation={operation} />}
      {samples?.[0] !== undefined && <Code title="Example" text={samples[0].source} />}
      {samples === undefined && body?.[1].example !== undefined && (
        <Code title="Example body" text={JSON.stringify(body[1].example, null, 2)} />
      )}
      {body?.[1].schema !== undefined && <Code title={`Body · ${body[0]}`} text={schemaText(body[1].schema)} />}
      {answer !== undefined && (
        <Code
          title={`Answer · ${answer[0]}`}
          text={answer[1].schema === undefined ? "bytes" : schemaText(answer[1].schema)}
        />
      )}
      <p className="text-12 text-ink-3">
        Errors: <code className="mono">application/problem+json</code> with <code className="mono">status</code>,{" "}
        <code className="mono">detail</code> and <code className="mono">error.code</code>.
      </p>
    </div>
  );
}

function Parameters({ operation: { parameters } }: { operation: Operation }) {
  return (
    <Part title="Parameters">
      <dl className="border-t border-line">
        {parameters.map(({ name, in: where, required, schema, example }) => (
          <div
            key={`${where} ${name}`}
            className="grid grid-cols-[minmax(0,1fr)_80px_minmax(0,2fr)] gap-x-4 border-b border-line py-1 max-md:grid-cols-[minmax(0,1fr)_70px]"
          >
            <dt className="mono text-12">
              {name}
              {required && <span className="text-ink-3"> required</span>}
            </dt>
            <dd className="text-12 text-ink-3">{where}</dd>
            <dd className="mono text-12 break-words text-ink-2 max-md:col-span-2">
              {schemaText(schema)}
              {example !== undefined && <span className="text-ink-3"> · e.g. {String(example)}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}

function Part({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title} className="min-w-0">
      <div className="flex min-h-6 items-center justify-between gap-2">
        <h4 className="text-12 font-medium text-ink-3">{title}</h4>
        {aside}
      </div>
      {children}
    </section>
  );
}

function Code({ title, text }: { title: string; text: string }) {
  return (
    <Part title={title} aside={<CopyButton text={() => text}>Copy</CopyButton>}>
      <pre className="mono rounded-2 border border-line bg-sunk px-3 py-2 text-12 break-words whitespace-pre-wrap">
        {text}
      </pre>
    </Part>
  );
}
