import { emptyHistogram, observe, type Histogram } from "../lib/measurements.ts";

/** Requests of one route. */
export interface RouteCounts {
  readonly method: string;
  /** The route's template, never a path as it was asked for: there is no end of those. */
  readonly route: string;
  readonly byStatus: ReadonlyMap<number, number>;
  /** Until the answer began. */
  readonly durations: Histogram;
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** What became of requests: by method, route and status. */
export class RequestCounts {
  readonly #byMethod = new Map<string, Map<string, RouteCounts & { readonly byStatus: Map<number, number> }>>();
  /** Requests that wait for their answer to begin. */
  underWay = 0;

  /** Notes a request. Takes a fraction of a microsecond, and makes objects only for what is new. */
  note(asked: string, route: string, { status, ms }: { status: number; ms: number }): void {
    const method = METHODS.has(asked) ? asked : "other";
    let routes = this.#byMethod.get(method);
    if (!routes) this.#byMethod.set(method, (routes = new Map()));
    let counts = routes.get(route);
    if (!counts) routes.set(route, (counts = { method, route, byStatus: new Map(), durations: emptyHistogram() }));
    counts.byStatus.set(status, (counts.byStatus.get(status) ?? 0) + 1);
    observe(counts.durations, ms / 1000);
  }

  *[Symbol.iterator](): Generator<RouteCounts> {
    for (const routes of this.#byMethod.values()) yield* routes.values();
  }
}
