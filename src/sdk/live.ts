import { QuernError } from "./errors.ts";
import { serverEvents } from "./server-events.ts";
import { backoffMs, delay, type RequestSpec, type Transport } from "./transport.ts";
import type { Filter } from "./types/filter.ts";
import type { ProjectionOptions, QuernRecord } from "./types/records.ts";
import type { CellFormat } from "./types/schema.ts";

export interface SubscribeOptions<
  S,
  T extends keyof S,
  Path extends string,
  Expand extends string,
  Format extends CellFormat,
> extends ProjectionOptions<Path, Expand, Format> {
  readonly filter?: Filter<S, T>;
}

/** The records of a subscription. Each event creates another state; records that did not change are the same objects in it. */
export interface LiveState<Fields> {
  /** The matching records, by their ids. */
  readonly records: readonly QuernRecord<Fields>[];
  /**
   * `connecting` until the first records arrive; `live` while changes arrive; `reconnecting` after the connection was lost,
   * with the records of that time; `closed` after the end of the subscription.
   */
  readonly status: "connecting" | "live" | "reconnecting" | "closed";
  /** With `closed`: why the server refuses the subscription; undefined if the caller ended it. */
  readonly error?: QuernError;
}

/** The difference between two states. */
export type LiveChange<Fields> =
  /** All records may be other ones. */
  | { readonly type: "reset"; readonly reason: string }
  | {
      readonly type: "change";
      /** Records that are new, match the filter since now, or became visible. */
      readonly added: readonly QuernRecord<Fields>[];
      readonly updated: readonly QuernRecord<Fields>[];
      /** The ids of records that were deleted, no longer match, or became hidden. */
      readonly removed: readonly number[];
    }
  /** Only the status changed. */
  | { readonly type: "status" };

export type LiveListener<Fields> = (state: LiveState<Fields>, change: LiveChange<Fields>) => void;

/** A live query. A loop over it gets the latest state after each change, and ends the subscription when it ends. */
export interface Subscription<Fields> extends AsyncIterable<LiveState<Fields>> {
  readonly state: LiveState<Fields>;
  /** Ends the subscription. Idempotent. */
  readonly unsubscribe: () => void;
}

/** The data of all kinds of events. */
interface EventData<Fields> {
  readonly reason?: string;
  readonly records?: readonly QuernRecord<Fields>[];
  readonly added?: readonly QuernRecord<Fields>[];
  readonly updated?: readonly QuernRecord<Fields>[];
  readonly removed?: readonly number[];
}

/** The server sends something every 20 seconds: a connection that is silent for longer is lost. */
const MAX_SILENCE_MS = 60_000;

/** The backoff begins again after a connection that lasted longer. */
const STABLE_MS = 10_000;

/** Starts a live query. `listener` is not called before this function has returned, and not after the end. */
export function subscribe<Fields>(
  transport: Transport,
  path: string,
  { query, signal }: Pick<RequestSpec, "query" | "signal">,
  listener?: LiveListener<Fields>,
): Subscription<Fields> {
  let state: LiveState<Fields> = { records: [], status: "connecting" };
  /** What a loop over the subscription throws. */
  let failure: Error | undefined;
  /** The state of the document that the records are of. */
  let position: string | undefined;
  let waiting: (() => void)[] = [];
  const byId = new Map<number, QuernRecord<Fields>>();
  const stop = new AbortController();

  function publish(next: Partial<LiveState<Fields>>, change?: LiveChange<Fields>): void {
    state = { ...state, ...next };
    for (const wake of waiting) wake();
    waiting = [];
    try {
      if (change) listener?.(state, change);
    } catch (error) {
      // A bug of the caller: reported like that of any listener. The subscription goes on.
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  function end(reason?: Error, error?: QuernError): void {
    if (state.status === "closed") return;
    signal?.removeEventListener("abort", abort);
    failure = reason;
    stop.abort();
    publish({ status: "closed", ...(error && { error }) }, error && { type: "status" });
  }

  const abort = () => end(signal?.reason as Error);

  function apply(event: string, data: EventData<Fields>): void {
    const { reason = "", records, added, updated, removed = [] } = data;
    let change: LiveChange<Fields> = { type: "status" };
    if (event === "reset") {
      byId.clear();
      for (const record of records ?? []) byId.set(record.id, record);
      change = { type: "reset", reason };
    } else if (event === "change") {
      const gone = removed.filter((id) => byId.delete(id));
      const written = [...(added ?? []), ...(updated ?? [])];
      const isKnown = ({ id }: QuernRecord<Fields>) => byId.has(id);
      change = {
        type: "change",
        added: written.filter((record) => !isKnown(record)),
        updated: written.filter(isKnown),
        removed: gone,
      };
      for (const record of written) byId.set(record.id, record);
    } else if (state.status === "live") return;
    const isSame = change.type === "status";
    publish({ status: "live", ...(!isSame && { records: [...byId.values()].sort((a, b) => a.id - b.id) }) }, change);
  }

  /** Follows one connection to its end. @throws QuernError if the request is refused */
  async function follow(): Promise<void> {
    const headers = { Accept: "text/event-stream" };
    // Once there are records, the server is expected to come back. Before that, its address may be wrong.
    const retries = position === undefined ? undefined : Infinity;
    const spec = { query: { ...query, after: position }, headers, signal: stop.signal, retries };
    const { body } = await transport.request("GET", path, spec);
    if (!body) return;
    for await (const { event, id, data } of serverEvents(body, MAX_SILENCE_MS)) {
      // After `closed`, the answer to the next request says whether to go on: a refusal has the code.
      if (stop.signal.aborted || event === "closed") return;
      // Events of kinds that a later server may have do not change the position: their changes are missing.
      if (!["reset", "change", "current", ""].includes(event)) continue;
      position = id;
      // An id alone keeps the connection alive.
      if (event !== "") apply(event, JSON.parse(data) as EventData<Fields>);
    }
  }

  async function run(): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const start = Date.now();
      try {
        await follow();
      } catch (error) {
        const isFinal = error instanceof QuernError && (position === undefined || error.status < 500);
        if (isFinal) end(error, error);
      }
      if (stop.signal.aborted) return;
      if (state.status === "live") publish({ status: "reconnecting" }, { type: "status" });
      if (Date.now() - start > STABLE_MS) attempt = 0;
      await delay(backoffMs(attempt), stop.signal).catch(() => {});
    }
  }

  async function* states(): AsyncGenerator<LiveState<Fields>, void, undefined> {
    let seen: LiveState<Fields> | undefined;
    try {
      for (;;) {
        if (failure) throw failure;
        if (state.status === "closed") return;
        if (state === seen || state.status === "connecting") {
          await new Promise<void>((wake) => waiting.push(wake));
          continue;
        }
        seen = state;
        yield state;
      }
    } finally {
      end();
    }
  }

  if (signal?.aborted) abort();
  else {
    signal?.addEventListener("abort", abort);
    void run();
  }
  return {
    get state() {
      return state;
    },
    unsubscribe: () => end(),
    [Symbol.asyncIterator]: states,
  };
}
