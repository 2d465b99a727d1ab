// At most so many at a time; the others wait in the order in which they came, but not forever.

export type Slots = {
  /** False when no slot became free in time. */
  take(waitMs: number, signal?: AbortSignal): Promise<boolean>;
  give(): void;
};

export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    take(waitMs, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (free > 0) {
        free--;
        return Promise.resolve(true);
      }
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", abort);
          const at = waiting.indexOf(enter);
          if (at !== -1) waiting.splice(at, 1);
        };
        const enter = (): void => {
          leave();
          resolve(true);
        };
        const abort = (): void => {
          leave();
          reject(signal!.reason);
        };
        const timer = setTimeout(() => {
          leave();
          resolve(false);
        }, waitMs);
        signal?.addEventListener("abort", abort);
        waiting.push(enter);
      });
    },
    give() {
      const next = waiting.shift();
      if (next) next();
      else free++;
    },
  };
}
