// The windows and prices of models: what is set, and what holds for those that were seen here.
import { NO_USAGE } from "#lib/kernel/draft.ts";
import { overriddenFor, overTable, type ModelOverride, type PriceField } from "#lib/kernel/load/overrides.ts";
import type { ModelRow, ModelsAnswer, Sourced } from "#lib/wire/settings-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { perArchive } from "../base/per-archive.ts";
import { overridesOf } from "../base/model-overrides.ts";
import { modelUse } from "./model-use.ts";
import { isSettling, modelsLeft, notePricesWrite, saveModelsWrite, settleModelsWrite } from "./apply-models.ts";
import { write } from "../base/write.ts";

export async function readModels(archive: Archive): Promise<ModelsAnswer> {
  const overrides = overridesOf(archive);
  const { used, fits } = await modelUse(archive, overrides);
  const models = [...used].map(([model, use]): ModelRow => ({
    model,
    ...use,
    ...numbersOf(archive, overrides, model),
  }));
  return {
    overrides: overrides.map((override, at) => ({ override, sessions: fits[at]! })),
    models: models.toSorted(
      (a, b) => (b.usd ?? -1) - (a.usd ?? -1) || b.calls - a.calls || (a.model < b.model ? -1 : 1),
    ),
    left: modelsLeft(archive),
  };
}

export type SaveModelsOptions = {
  /** The list that the person was shown. Throws `conflict` where it is another by now. */
  readonly seen?: readonly ModelOverride[] | undefined;
  readonly onSettled?: () => void;
};

/**
 * Keeps what a person set, all of it at once. Figures that were worked out before follow in the background; `onSettled` is
 * called when all have. `~` is this person's home folder.
 */
export async function saveModels(
  archive: Archive,
  overrides: readonly ModelOverride[],
  { seen, onSettled = () => undefined }: SaveModelsOptions = {},
): Promise<ModelsAnswer> {
  const { home } = archive.host;
  const whole = overrides.map((one) =>
    home !== undefined && one.project !== null && /^~(?=$|[/\\])/.test(one.project)
      ? { ...one, project: home + one.project.slice(1) }
      : one,
  );
  await write(archive, saveModelsWrite, { overrides: whole, seen });
  void resumeModels(archive).then(onSettled);
  return readModels(archive);
}

const running = perArchive((): { work?: Promise<void> | undefined } => ({}));
/** Between two batches: what others ask for goes first, and a server that ends is not kept (milliseconds). */
const PAUSE_MS = 15;

/** Works out the figures that a change of settings left behind, if it did; resolves when none is left. */
export function resumeModels(archive: Archive): Promise<void> {
  const state = running(archive);
  // A change during the work sets it back to the first session: the loop that runs goes on with it.
  if (state.work !== undefined) return state.work;
  const stop = new AbortController();
  const work = settleAll(archive, stop.signal).finally(() => (state.work = undefined));
  state.work = work;
  archive.atClose.push(() => (stop.abort(), work));
  return work;
}

/** At a start: what a new release's table has otherwise is worked out anew, behind what a change of settings left. */
export async function followPrices(archive: Archive): Promise<void> {
  await comparePrices(archive);
  return resumeModels(archive);
}

/** Notes what the table has otherwise than at the last start: from now on nobody takes the dollars of before for today's. */
export async function comparePrices(archive: Archive): Promise<void> {
  try {
    await write(archive, notePricesWrite, { isPriced: false });
  } catch (error) {
    // The next start tries again.
    console.error("Dollars could not be compared with the price table:", error);
  }
}

/** At an end, after a start that followed the prices: models that came meanwhile need not be worked out anew at the next one. */
export async function keepPrices(archive: Archive): Promise<void> {
  await write(archive, notePricesWrite, { isPriced: true }).catch(() => undefined);
}

async function settleAll(archive: Archive, signal: AbortSignal): Promise<void> {
  try {
    while (!signal.aborted && isSettling(archive)) {
      if ((await write(archive, settleModelsWrite, {})).isDone) return;
      await new Promise((resume) => setTimeout(resume, PAUSE_MS));
    }
  } catch (error) {
    // What is left is kept: the next change or the next start goes on with it.
    console.error("Model changes could not be applied to the figures:", error);
  }
}

/** What holds for a model where no project has numbers of its own. */
function numbersOf(
  archive: Archive,
  overrides: readonly ModelOverride[],
  model: string,
): Pick<ModelRow, "window" | "rates" | "isTiered"> {
  const { host } = archive;
  const set = overriddenFor(overrides, model, null);
  const table = host.prices;
  const rates = overTable(table, overrides, null).rates(model, NO_USAGE, host.now());
  const long = table.rates(model, { ...NO_USAGE, inputUncached: 10_000_000 }, host.now());
  const short = table.rates(model, NO_USAGE, host.now());
  const price = (name: PriceField): Sourced => {
    if (set[name] !== null) return { value: set[name], from: "settings" };
    if (rates === null) return UNKNOWN;
    const isDerived = name === "write1h" && rates.isDerived;
    return { value: perMillion(rates[name]), from: isDerived ? "derived" : short === null ? "settings" : "table" };
  };
  const window = table.window(model);
  return {
    window:
      set.window !== null
        ? { value: set.window, from: "settings" }
        : window === null
          ? UNKNOWN
          : { value: window, from: "table" },
    rates: {
      uncached: price("uncached"),
      read: price("read"),
      write: price("write"),
      write1h: price("write1h"),
      output: price("output"),
    },
    isTiered: long !== null && short !== null && (long.uncached !== short.uncached || long.output !== short.output),
  };
}

const UNKNOWN: Sourced = { value: null, from: null };
/** 0.30 and not 0.30000000000000004. */
const perMillion = (aToken: number): number => Number((aToken * 1e6).toPrecision(12));
