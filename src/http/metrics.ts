import { createHash, timingSafeEqual } from "node:crypto";
import type { MetricsAccess } from "../config/observability-settings.ts";
import { forbidden, notFound, unauthenticated } from "../errors.ts";
import { parseNetwork } from "../lib/network/networks.ts";
import type { Call } from "./call.ts";
import type { RequestMetrics } from "./request-metrics.ts";

/** Path of the metrics; outside of the API and of sites. */
export const METRICS_PATH = "/metrics";

/**
 * Returns the metrics, if the setting allows it.
 * @throws AppError `unauthenticated`, `forbidden`; `notFound` for methods other than reading
 */
export async function handleMetrics(call: Call, requestMetrics: RequestMetrics): Promise<Response> {
  const { request, ctx, config } = call;
  if (request.method !== "GET" && request.method !== "HEAD") {
    throw notFound(`No route for ${request.method} ${METRICS_PATH}`, "route.not_found");
  }
  call.accounting.template = METRICS_PATH;
  checkMetricsAccess(call, config.metrics);
  // Loaded lazily: most servers never serve metrics.
  const [{ readMetrics }, { PROMETHEUS_CONTENT_TYPE, prometheusText }] = await Promise.all([
    import("../services/administration/metrics.ts"),
    import("../lib/observability/prometheus-text.ts"),
  ]);
  const routes = [...requestMetrics];
  const metrics = await readMetrics(ctx, config.data, {
    quern_http_requests_total: routes.flatMap(({ method, route, byStatus }) =>
      [...byStatus].map(([status, value]) => ({ labels: { method, route, status }, value })),
    ),
    quern_http_request_duration_seconds: routes.map(({ method, route, durations }) => ({
      labels: { method, route },
      value: durations,
    })),
    // Excludes this request.
    quern_http_requests_in_flight: [{ value: requestMetrics.inFlight - 1 }],
    quern_event_streams_open: [{ value: call.services.streams.count }],
  });
  return new Response(prometheusText(metrics), {
    headers: { "Content-Type": PROMETHEUS_CONTENT_TYPE, "Cache-Control": "no-store" },
  });
}

function checkMetricsAccess(call: Call, access: MetricsAccess): void {
  if (access === "loopback") {
    if (!isLoopbackRequest(call)) throw forbidden("Metrics are available only to programs on this machine");
  } else if (access === "off") throw notFound(`No route for GET ${METRICS_PATH}`, "route.not_found");
  else if (!isSameToken(call.request.headers.get("authorization"), access.token)) {
    throw unauthenticated("Metrics require the configured token: Authorization: Bearer <token>");
  }
}

/** Compares in constant time, regardless of length. */
function isSameToken(authorization: string | null, token: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(authorization ?? ""), hash(`Bearer ${token}`));
}

const LOOPBACK_NETWORKS = [parseNetwork("127.0.0.0/8"), parseNetwork("::1")];
/** Headers that reverse proxies send: a proxy on this machine connects from a loopback address as well. */
const PROXY_HEADERS = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via"];

/** True for direct requests of a program on this machine: without a proxy, and not from a page in a browser. */
function isLoopbackRequest({ request: { headers }, peer }: Call): boolean {
  const host = (headers.get("host") ?? "").replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
  const isLoopback = (address: string) => LOOPBACK_NETWORKS.some((network) => network.contains(address));
  return (
    isLoopback(peer) &&
    (host.toLowerCase() === "localhost" || isLoopback(host)) &&
    !headers.has("origin") &&
    !PROXY_HEADERS.some((name) => headers.has(name))
  );
}
