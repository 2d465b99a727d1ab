"use client";
// What a program is run with: the program in the address, the inputs, the run. The page has one, and the panel of an artifact.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { parseAsArrayOf, parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useEffect, useMemo, useRef, useState } from "react";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { JqInput } from "#lib/wire/playground-schema.ts";
import { failureOf } from "../ui/api.ts";
import { keepProgram, programQuery } from "./playground-queries.ts";
import { LONGER_MS, Runner } from "./runner.ts";
import { WorkStore } from "./work-store.ts";
import { EMPTY, fromAddress, inAddress, keyOf, optionsOf, requestOf, workOf, type Work } from "./work.ts";

const RESULT_VIEWS = ["json", "table", "raw"] as const;
type ResultView = (typeof RESULT_VIEWS)[number];

const parsers = {
  program: parseAsString,
  /** The id of a program that is too long for the address. */
  saved: parseAsString,
  options: parseAsString,
  arg: parseAsArrayOf(parseAsString),
  argjson: parseAsArrayOf(parseAsString),
  view: parseAsStringLiteral(RESULT_VIEWS).withDefault("json"),
  /** What each stage gives is shown. */
  stages: parseAsBoolean.withDefault(false),
};

/** The address follows the program after a pause: a browser refuses to change it more than some 30 times in 10 s. */
const ADDRESS_MS = 300;
const WITHOUT = { program: null, options: null, arg: null, argjson: null } as const;

export type Desk = {
  readonly store: WorkStore;
  readonly runner: Runner;
  readonly inputs: readonly JqInput[];
  readonly canAsk: boolean;
  readonly view: ResultView;
  readonly setView: (view: ResultView) => void;
  readonly hasStages: boolean;
  readonly setStages: (hasStages: boolean) => void;
  /** What would be asked now. */
  readonly request: () => ReturnType<typeof requestOf>;
  readonly runNow: () => void;
  readonly runLonger: () => void;
  /** Another question, in one go: from the history, what was saved, an example. */
  readonly put: (work: Partial<Work>) => void;
  /** Why the address does not give back what is here; null when it does. */
  readonly notInAddress: string | null;
};

type DeskOptions = {
  readonly inputs: readonly JqInput[];
  /** False while it is not known what the inputs are, or when nothing can be asked of them. */
  readonly canAsk: boolean;
  /** The artifact page has a `view` of its own. */
  readonly urlKeys?: { readonly view: string };
};

export function useDesk({ inputs, canAsk, urlKeys }: DeskOptions): Desk {
  const queries = useQueryClient();
  const [address, setAddress] = useQueryStates(parsers, urlKeys === undefined ? {} : { urlKeys });
  const [{ store, runner }] = useState(() => ({
    store: new WorkStore(),
    runner: new Runner({ onKept: () => void queries.invalidateQueries({ queryKey: ["playground", "history"] }) }),
  }));
  const [notKept, setNotKept] = useState<string | null>(null);

  const kept = useQuery({ ...programQuery(address.saved ?? ""), enabled: address.saved !== null });
  const wanted = wantedOf(address, kept.data);
  const wantedKey = wanted === null ? null : keyOf(wanted);
  const written = useRef<string | null>(null);
  const flush = useRef(() => {});
  // The address changed by another hand: a link, Back, a path that was picked elsewhere.
  useEffect(() => {
    if (wanted === null || wantedKey === written.current) return;
    written.current = wantedKey;
    store.set({ ...EMPTY, ...wanted });
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the key says all of it
  }, [wantedKey, store]);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    /** Links that were followed, and the end of this page: the address is another's after each. */
    let left = 0;
    const write = async () => {
      const before = left;
      const work = store.get();
      const short = inAddress(work);
      if (short !== null) {
        setNotKept(null);
        written.current = keyOf(fromAddress(short));
        return void setAddress({ ...short, saved: null });
      }
      if (tooLongOf(work) !== null) return;
      try {
        const program = await keepProgram({
          kind: "jq",
          name: null,
          program: work.program,
          options: optionsOf(work),
          fits: "any",
        });
        setNotKept(null);
        if (left !== before || store.get() !== work) return;
        queries.setQueryData(programQuery(program.id).queryKey, program);
        written.current = keyOf(workOf(program.program, program.options));
        await setAddress({ ...WITHOUT, saved: program.id });
      } catch (error) {
        setNotKept(`This program is too long for the address, and was not kept: ${failureOf(error).message}`);
      }
    };
    const later = () => {
      if (keyOf(store.get()) === written.current) return;
      clearTimeout(timer);
      timer = setTimeout(() => void write(), ADDRESS_MS);
    };
    flush.current = () => {
      clearTimeout(timer);
      if (keyOf(store.get()) !== written.current) void write();
    };
    // The page that a link leads to would be taken back by an address of this one that comes after the click.
    const forget = ({ target, metaKey, ctrlKey, shiftKey }: MouseEvent) => {
      const isHere = !metaKey && !ctrlKey && !shiftKey;
      if (!isHere || !(target instanceof Element) || target.closest("a[href]") === null) return;
      clearTimeout(timer);
      left++;
    };
    const stop = store.subscribe(later);
    document.addEventListener("click", forget, true);
    return () => {
      clearTimeout(timer);
      left++;
      document.removeEventListener("click", forget, true);
      stop();
    };
  }, [store, setAddress, queries]);

  useEffect(() => {
    const ask = () => {
      const work = store.get();
      const isRunnable = canAsk && (inputs.length > 0 || work.flags.includes("n"));
      if (!isRunnable) return runner.clear();
      const tooLong = tooLongOf(work);
      if (tooLong !== null) return runner.refuse("too_large", tooLong);
      runner.type(requestOf(work, inputs));
    };
    ask();
    const stop = store.subscribe(ask);
    return () => {
      stop();
      runner.stop();
    };
  }, [store, runner, inputs, canAsk]);

  return useMemo(() => {
    const request = () => requestOf(store.get(), inputs);
    const run = (deadlineMs?: number) => {
      const { inputs: some, options } = request();
      const isRunnable = canAsk && (some.length > 0 || options.nullInput) && tooLongOf(store.get()) === null;
      if (isRunnable) runner.run(request(), deadlineMs);
    };
    return {
      store,
      runner,
      inputs,
      canAsk,
      view: address.view,
      setView: (view) => void setAddress({ view }),
      hasStages: address.stages,
      setStages: (stages) => void setAddress({ stages }),
      request,
      runNow: () => run(),
      runLonger: () => run(LONGER_MS),
      put: (work) => {
        store.set({ ...EMPTY, ...work });
        flush.current();
      },
      notInAddress:
        kept.error === null
          ? notKept
          : `The program ${address.saved} could not be loaded: ${failureOf(kept.error).message}`,
    };
  }, [store, runner, inputs, canAsk, address.view, address.stages, address.saved, setAddress, notKept, kept.error]);
}

type Address = {
  readonly program: string | null;
  readonly saved: string | null;
  readonly options: string | null;
  readonly arg: string[] | null;
  readonly argjson: string[] | null;
};

function wantedOf(
  address: Address,
  kept: { program: string; options: Parameters<typeof workOf>[1] } | undefined,
): Work | null {
  if (address.saved === null) return fromAddress(address);
  return kept === undefined ? null : workOf(kept.program, kept.options);
}

function tooLongOf({ program }: Work): string | null {
  const bytes = new TextEncoder().encode(program).length;
  if (bytes <= LIMITS.jqProgramBytes) return null;
  const words = (count: number): string => count.toLocaleString("en-US");
  return `Program of ${words(bytes)} bytes, limit ${words(LIMITS.jqProgramBytes)}. Move its data to the input or a variable.`;
}
