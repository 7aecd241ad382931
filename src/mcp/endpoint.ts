/** The protocol over HTTP, without sessions: any node of a cluster answers any request. */
import { originValidation } from "@modelcontextprotocol/hono";
import {
  createMcpHandler,
  isJSONRPCRequest,
  isLegacyRequest,
  localhostAllowedOrigins,
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { Hono } from "hono";
import type { ApiCall, CallerKey } from "./api.ts";
import { createMcpServer } from "./server.ts";

/** A request whose key is valid. */
export interface McpRequest {
  readonly call: ApiCall;
  readonly key: CallerKey;
  /** Parsed JSON. */
  readonly body: unknown;
  /** Called for errors that are no refusals. */
  readonly report: (error: unknown) => void;
}

export interface McpEndpointOptions {
  /** Returns the key and the body of a request whose origin is allowed, or the response that refuses it. */
  readonly admit: (request: Request) => Promise<McpRequest | Response>;
  /** Host names of pages that may send requests, besides those on the same machine. */
  readonly originHostnames: readonly string[];
}

/** Creates the handler of `/mcp`. */
export function createMcpEndpoint({ admit, originHostnames }: McpEndpointOptions) {
  const app = new Hono();
  // Protects from pages that reach the server under a name of their own (DNS rebinding).
  app.use(originValidation([...localhostAllowedOrigins(), ...originHostnames]));
  app.post("*", async ({ req: { raw } }) => {
    const admitted = await admit(raw);
    if (admitted instanceof Response) return admitted;
    const { body } = admitted;
    if (await isLegacyRequest(raw, body)) return answerWithoutEnvelope(raw, admitted);
    if (isSubscription(body)) return refuseSubscription(body);
    const handler = createMcpHandler(() => createMcpServer(admitted), {
      legacy: "reject",
    });
    return handler.fetch(raw, { parsedBody: body });
  });
  app.all("*", () =>
    Response.json(
      { jsonrpc: "2.0", error: { code: -32_000, message: "Method not allowed; use POST" }, id: null },
      { status: 405, headers: { Allow: "POST" } },
    ),
  );
  return async (request: Request): Promise<Response> => app.fetch(request);
}

interface Subscription {
  readonly id: string | number;
}

const isSubscription = (body: unknown): body is Subscription =>
  isJSONRPCRequest(body) && body.method === "subscriptions/listen";

/** Nothing that a client could subscribe to ever changes; an open stream would cost a connection. */
const refuseSubscription = ({ id }: Subscription): Response =>
  Response.json(
    { jsonrpc: "2.0", id, error: { code: ProtocolErrorCode.MethodNotFound, message: "Method not found" } },
    { status: 404 },
  );

/** Answers requests of protocol versions before 2026-07-28, each by a server of its own. */
async function answerWithoutEnvelope(request: Request, admitted: McpRequest): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await createMcpServer(admitted).connect(transport);
  return transport.handleRequest(request, { parsedBody: admitted.body });
}
