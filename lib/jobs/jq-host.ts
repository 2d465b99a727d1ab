// Runs jq once, in a new instance. The package's own loader makes the instance and keeps its clock functions; what
// touches the world is ours: standard input comes from a file or from bytes without passing through a string,
// output is counted and cut while it is written, there is no environment, no file to open and no time zone.
import { loadJq } from "jq-wasm";
import { MOST_MEMORY_BYTES, PAGE_BYTES } from "./jq-module.ts";
import type { JqBytes } from "./jq-input.ts";

/** Names of the build's imports and exports: they are one letter each, and those of this exact version. */
const IMPORTS = {
  assertFail: "a",
  exit: "b",
  fdWrite: "d",
  openat: "f",
  fdRead: "h",
  environGet: "j",
  resizeHeap: "k",
  environSizesGet: "l",
  procExit: "p",
  gmtime: "r",
  localtime: "s",
  mktime: "t",
  timegm: "u",
  tzset: "v",
  abort: "E",
} as const;

type JqExports = {
  /** Its memory. */
  readonly F: WebAssembly.Memory;
  /** main(argc, argv) */
  readonly H: (count: number, words: number) => number;
  /** Its stack: moved to here, some of it taken, where it is now. */
  readonly J: (top: number) => void;
  readonly K: (bytes: number) => number;
  readonly L: () => number;
};

type Functions = Record<string, (...values: number[]) => unknown>;

const NO_SUCH_FILE = -44;

export type JqRun = {
  readonly words: readonly string[];
  readonly input: JqBytes;
  /** Standard output and what is written beside it. A piece is jq's memory, good until the call returns. */
  readonly output: (piece: Uint8Array) => void;
  readonly messages: (piece: Uint8Array) => void;
  readonly memoryBytes: number;
};

export type JqEnd = {
  /** jq's exit status, or null when it broke off: out of memory, out of stack. */
  readonly status: number | null;
  readonly trap: string | null;
  readonly memoryBytes: number;
};

/** Thrown by what jq calls, it ends the program with this status. */
export class JqExit {
  readonly status: number;
  constructor(status: number) {
    this.status = status;
  }
}

export async function runJq(module: WebAssembly.Module, run: JqRun): Promise<JqEnd> {
  let jq: JqExports | null = null;
  let refresh = (): void => {};
  await loadJq({
    instantiateWasm(imports, onSuccess) {
      const functions = { ...imports["a"] } as Functions;
      const memory = (): WebAssembly.Memory => jq!.F;
      // The loader's functions see memory through views that growing it empties. Told again of the same instance, it
      // makes new ones; without that every date after the first growth is 1900.
      refresh = (): void => onSuccess(instance, module);
      Object.assign(
        functions,
        ends(),
        files(run, memory),
        clock(functions, memory),
        heap(run, memory, () => refresh()),
      );
      const instance = new WebAssembly.Instance(module, { a: functions as WebAssembly.ModuleImports });
      // The exports of this build, named above.
      jq = instance.exports as unknown as JqExports;
      refresh();
    },
  });
  const { F, H, K } = jq! as JqExports;
  enlargeStack(jq!, run.memoryBytes, refresh);
  try {
    return { status: H(run.words.length, pushWords(run.words, F, K)), trap: null, memoryBytes: F.buffer.byteLength };
  } catch (error) {
    const memoryBytes = F.buffer.byteLength;
    if (error instanceof JqExit) return { status: error.status, trap: null, memoryBytes };
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError)
      return { status: null, trap: error.message, memoryBytes };
    throw error;
  }
}

/** Where the build's stack and its heap end before main(), and where it keeps the end of the heap. */
const BUILT = { stack: 1_449_328, heap: 1_454_080, heapAt: 395_336 } as const;
/** jq stops by itself at 10,000 levels, which take 16 MB at the most. Pages of it that are not touched cost nothing. */
const STACK_BYTES = 20 * 1024 * 1024;

/**
 * The build has a stack of 1 MB, which printing a value nested 700 deep fills; jq's own limit is 10,000. The stack goes
 * to the beginning of the heap, which is told to begin behind it.
 */
function enlargeStack({ F, J, L }: JqExports, memoryBytes: number, refresh: () => void): void {
  const view = new DataView(F.buffer);
  const isKnown = L() === BUILT.stack && view.getUint32(BUILT.heapAt, true) === BUILT.heap;
  const bytes = Math.min(STACK_BYTES, Math.floor(memoryBytes / 8 / PAGE_BYTES) * PAGE_BYTES);
  if (!isKnown || bytes === 0) return;
  const missing = BUILT.heap + bytes - F.buffer.byteLength;
  if (missing > 0) {
    F.grow(Math.ceil(missing / PAGE_BYTES));
    refresh();
  }
  new DataView(F.buffer).setUint32(BUILT.heapAt, BUILT.heap + bytes, true);
  J(BUILT.heap + bytes);
}

/** The command line, as C has it: an array of pointers to texts that end with a zero. */
function pushWords(words: readonly string[], memory: WebAssembly.Memory, allocate: (bytes: number) => number): number {
  const at = words.map((word) => {
    const bytes = Buffer.from(`${word}\0`);
    const pointer = allocate(bytes.length);
    new Uint8Array(memory.buffer, pointer, bytes.length).set(bytes);
    return pointer;
  });
  const array = allocate((words.length + 1) * 4);
  const view = new DataView(memory.buffer, array);
  for (const [i, pointer] of [...at, 0].entries()) view.setUint32(i * 4, pointer, true);
  return array;
}

function ends(): Functions {
  const exit = (status: number): never => {
    throw new JqExit(status);
  };
  const abort = (): never => {
    throw new WebAssembly.RuntimeError("aborted");
  };
  return { [IMPORTS.exit]: exit, [IMPORTS.procExit]: exit, [IMPORTS.abort]: abort, [IMPORTS.assertFail]: abort };
}

function files({ input, output, messages }: JqRun, memory: () => WebAssembly.Memory): Functions {
  /** Calls `use` for each piece of memory that the call names, until it does less than asked; writes the sum. */
  const each = (pieces: number, count: number, sum: number, use: (piece: Uint8Array) => number): number => {
    const { buffer } = memory();
    const view = new DataView(buffer);
    let total = 0;
    for (let i = 0; i < count; i++) {
      const piece = new Uint8Array(
        buffer,
        view.getUint32(pieces + i * 8, true),
        view.getUint32(pieces + i * 8 + 4, true),
      );
      const done = use(piece);
      total += done;
      if (done < piece.length) break;
    }
    view.setUint32(sum, total, true);
    return 0;
  };
  return {
    [IMPORTS.fdRead]: (_, pieces, count, sum) => each(pieces!, count!, sum!, (piece) => input.read(piece)),
    [IMPORTS.fdWrite]: (file, pieces, count, sum) =>
      each(pieces!, count!, sum!, (piece) => {
        (file === 2 ? messages : output)(piece);
        return piece.length;
      }),
    [IMPORTS.openat]: () => NO_SUCH_FILE,
    [IMPORTS.environGet]: () => 0,
    [IMPORTS.environSizesGet]: (count, bytes) => {
      const view = new DataView(memory().buffer);
      view.setUint32(count!, 0, true);
      view.setUint32(bytes!, 0, true);
      return 0;
    },
  };
}

/** UTC everywhere: one answer on every machine, and the host's zone stays its own. */
function clock(theirs: Functions, memory: () => WebAssembly.Memory): Functions {
  return {
    [IMPORTS.localtime]: (seconds, tm) => {
      theirs[IMPORTS.gmtime]!(seconds!, tm!);
      const view = new DataView(memory().buffer, tm!);
      // tm_isdst and tm_gmtoff, which gmtime leaves as they were.
      view.setInt32(32, 0, true);
      view.setInt32(36, 0, true);
    },
    [IMPORTS.mktime]: theirs[IMPORTS.timegm]!,
    [IMPORTS.tzset]: (offset, isSummerTime, name, summerName) => {
      const { buffer } = memory();
      new DataView(buffer).setInt32(offset!, 0, true);
      new DataView(buffer).setInt32(isSummerTime!, 0, true);
      for (const at of [name!, summerName!]) new Uint8Array(buffer, at).set(Buffer.from("UTC\0"));
    },
  };
}

function heap({ memoryBytes }: JqRun, memory: () => WebAssembly.Memory, refresh: () => void): Functions {
  const most = Math.floor(Math.min(memoryBytes, MOST_MEMORY_BYTES) / PAGE_BYTES) * PAGE_BYTES;
  return {
    [IMPORTS.resizeHeap]: (size) => {
      const wanted = size! >>> 0;
      const now = memory().buffer.byteLength;
      if (wanted > most) return 0;
      try {
        // A fifth more than asked for, so that a growing value does not ask for each page.
        memory().grow(Math.ceil((Math.min(most, Math.max(wanted, now * 1.2)) - now) / PAGE_BYTES));
      } catch {
        return 0;
      }
      refresh();
      return 1;
    },
  };
}
