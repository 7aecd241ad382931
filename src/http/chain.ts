/** The steps of request processing, in order, until one of them responds. */
import { AppError } from "../errors.ts";
import type { Context } from "../services/context.ts";
import { identify } from "./auth.ts";
import type { Call } from "./call.ts";
import { confineEndUser } from "./end-users/confine.ts";
import { MCP_PATH } from "./mcp.ts";
import { handleMetrics, METRICS_PATH } from "./metrics.ts";
import { requireSingleHost } from "./request-url.ts";
import type { RequestMetrics } from "./request-metrics.ts";
import type { InFlightRequests } from "./in-flight-requests.ts";

/** Returns the response, or null to continue with the next step; throws refusals. */
export type Step = (call: Call, connection: { pending(): number }) => Promise<Response | null> | Response | null;

export interface ChainOptions {
  readonly isDraining: () => boolean;
  readonly inFlight: InFlightRequests;
  /** Null where metrics are off. */
  readonly metrics: RequestMetrics | null;
  /** Has the owning node of a cluster answer; null without a cluster. */
  readonly answerOnOwningNode: ((call: Call) => Promise<Response | null>) | null;
  /** The Model Context Protocol. */
  readonly mcp: (call: Call) => Promise<Response>;
  /** HTML pages; null for unknown paths. */
  readonly pages: ((call: Call) => Promise<Response | null>) | undefined;
  /** Matches the route and runs it; answers unknown paths with 404. */
  readonly router: (call: Call) => Promise<Response> | Response;
}

export const STATUS_PATH = "/status";

/** The API, and the other paths that need no key. */
const isApi = (path: string): boolean => path.startsWith("/api/") || path === "/openapi.json" || path === MCP_PATH;

export const shuttingDown = (): AppError =>
  new AppError("server.shutting_down", "The server is shutting down", { retryAfterS: 2 });

/** Returns the steps of a server. Their names document the order; the last one always responds. */
export function requestChain({
  isDraining,
  inFlight,
  metrics,
  answerOnOwningNode,
  mcp,
  pages,
  router,
}: ChainOptions): [name: string, Step][] {
  return [
    ["require one Host header", ({ request }) => requireSingleHost(request) ?? null],
    [
      "refuse while shutting down",
      () => {
        if (isDraining()) {
          throw shuttingDown();
        }
        return null;
      },
    ],
    // Before the limits: monitoring matters most when the server is overloaded.
    ["metrics", (call) => (metrics && call.path === METRICS_PATH ? handleMetrics(call, metrics) : null)],
    ["status", (call) => (call.path === STATUS_PATH ? router(call) : null)],
    ["refuse without the replicated log", ({ ctx }) => refuseWithoutLog(ctx)],
    [
      "limit requests in flight",
      ({ services }, connection) => inFlight.checkCapacity(connection.pending() - services.streams.count) ?? null,
    ],
    // On any node: the requests of its tools pass the following steps.
    ["MCP", (call) => (call.path === MCP_PATH && call.request.method !== "OPTIONS" ? mcp(call) : null)],
    ...(answerOnOwningNode ? [["answer on the owning node", answerOnOwningNode] satisfies [string, Step]] : []),
    ["pages", (call) => (pages && !isApi(call.path) ? pages(call) : null)],
    ["CORS preflight", ({ request }) => (request.method === "OPTIONS" ? new Response("OK") : null)],
    ["authenticate", (call) => authenticate(call, inFlight)],
    ["limit requests of the caller", (call) => inFlight.admitCaller(call) ?? null],
    ["confine end users", confineEndUser],
    ["route", router],
  ];
}

/** Runs the steps until one responds. */
export async function runChain(
  steps: readonly (readonly [name: string, Step])[],
  call: Call,
  connection: { pending(): number },
): Promise<Response> {
  for (const [, step] of steps) {
    const result = step(call, connection);
    const response = result instanceof Promise ? await result : result;
    if (response) return response;
  }
  throw new Error("no step responded");
}

const refuseWithoutLog = (ctx: Context): Promise<null> | null => (ctx.replication?.refusal() ? waitForLog(ctx) : null);

async function waitForLog({ replication, cluster }: Context): Promise<null> {
  // While ownership of home moves, a replica is current again within milliseconds.
  await cluster?.freshHome();
  const refusal = replication?.refusal();
  if (refusal) throw refusal;
  return null;
}

function authenticate(call: Call, inFlight: InFlightRequests): null {
  try {
    call.actor = { ...identify(call), address: call.address };
    return null;
  } catch (error) {
    inFlight.countUnidentified(call);
    throw error;
  }
}
