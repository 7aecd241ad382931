import { emptyHistogram, observe, type Histogram } from "../lib/observability/measurements.ts";

/** Metrics of one route. */
export interface RouteMetrics {
  readonly method: string;
  /** The route's template, never the requested path, whose values are unbounded. */
  readonly route: string;
  readonly byStatus: ReadonlyMap<number, number>;
  /** Time until the response began. */
  readonly durations: Histogram;
}

const KNOWN_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Counts and durations of requests, by method, route and status. */
export class RequestMetrics {
  readonly #byMethod = new Map<string, Map<string, RouteMetrics & { readonly byStatus: Map<number, number> }>>();
  /** Requests whose response has not begun. */
  inFlight = 0;

  /** Records a request. Takes a fraction of a microsecond, and allocates only for new labels. */
  record(requestMethod: string, route: string, { status, ms }: { status: number; ms: number }): void {
    const method = KNOWN_METHODS.has(requestMethod) ? requestMethod : "other";
    let routes = this.#byMethod.get(method);
    if (!routes) this.#byMethod.set(method, (routes = new Map()));
    let metrics = routes.get(route);
    if (!metrics) routes.set(route, (metrics = { method, route, byStatus: new Map(), durations: emptyHistogram() }));
    metrics.byStatus.set(status, (metrics.byStatus.get(status) ?? 0) + 1);
    observe(metrics.durations, ms / 1000);
  }

  *[Symbol.iterator](): Generator<RouteMetrics> {
    for (const routes of this.#byMethod.values()) yield* routes.values();
  }
}
