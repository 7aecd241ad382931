/** The contracts of routes. */
import type { z } from "../wire/common/schema.ts";
import type { DocumentGrant } from "../authorization.ts";
import type { RequestClass } from "../services/cluster.ts";
import type { Call } from "./call.ts";

export type Method = "get" | "post" | "patch" | "put" | "delete";

/** An access check: returns the grant that the operations of a route require, or throws the refusal. */
export interface AccessCheck<G> {
  /** For the OpenAPI description: "Owners of the document." */
  readonly about: string;
  /** The class of requests that this check is for; see `classOf`. */
  readonly requestClass?: RequestClass;
  /** True for responses that last until the client disconnects. */
  readonly isStream?: boolean;
  /** True if `?showRemoved=1` includes the trash for requests with this method. */
  showsRemoved?(method: string): boolean;
  /** Possible statuses of refusals, for the OpenAPI description. */
  readonly statuses: readonly (401 | 403 | 404 | 429)[];
  /** @param body parsed but not validated; for checks that depend on the body */
  check(call: Call, params: Readonly<Record<string, string>>, body: object): G;
  /** Returns the grant of the document whose content the request is about. */
  documentOf?(grant: G): DocumentGrant;
  /** Called when the request has ended, whatever its result. */
  done?(call: Call): void;
}

/** How a route reads its body; created by the functions below. */
export interface BodySpec<B> {
  readonly kind: "json" | "bytes" | "upload";
  readonly schema: z.ZodType;
  /** For uploads: JSON is accepted as an alternative and also read by the handler. */
  readonly json?: z.ZodType;
  /** For bytes: `application/x-ndjson` is accepted as an alternative, and read by the handler as a stream. */
  readonly lines?: z.ZodType;
  /** The type that the handler receives, for the compiler only. */
  readonly gives?: B;
}

/** A response that is a file. */
export interface FileResponseSpec {
  /** Its media type, or several if it depends on the request. */
  readonly type: string | readonly string[];
  readonly about: string;
  /** The schema of JSON responses to requests that do not ask for a file. */
  readonly json?: z.ZodType;
}

/** How a route answers requests with an `Idempotency-Key`, where it does not follow from the class of its requests. */
export interface IdempotencySpec<Input> {
  /** Where answers are kept: where the change is that they answer. */
  readonly store?: "document" | "home";
  /**
   * Creates the answer from the result of the verb, or of the transaction of the home database, that makes the change. For
   * verbs that do not return the answer, and for changes of home in asynchronous operations.
   */
  answerOf?(input: Input, result: unknown): unknown;
  /** True when the request removes the resource in its path, so that access cannot be checked when it is repeated. */
  readonly removes?: true;
  /** Flags of the query with which the key is ignored: the answer contains secrets, or nothing is changed. */
  readonly ignoredWith?: readonly string[];
  /** True for requests that may only read: their answers are kept if they changed something. */
  readonly keepsOnlyChanges?: true;
}

export interface RouteSpec<P, Q, B, G> {
  readonly method: Method;
  /** `/api/docs/{docId}/tables`; fixed segments are matched in any case. */
  readonly path: string;
  /** Unique name of the operation, in camel case. */
  readonly id: string;
  readonly tag: string;
  /** A short summary. */
  readonly summary: string;
  /** Details beyond the summary. */
  readonly about?: string;
  readonly access: AccessCheck<G>;
  /** The class of its requests, where it does not follow from access check and method; see `classOf`. */
  readonly requestClass?: RequestClass;
  /** Path parameters; validated after the access check, which reads them unvalidated. */
  readonly params?: z.ZodType<P>;
  readonly query?: z.ZodType<Q>;
  /** Headers that the route reads, for the OpenAPI description. */
  readonly headers?: z.ZodType;
  readonly body?: BodySpec<B>;
  /** How requests with an `Idempotency-Key` are answered; `ignored` for reads, and for answers that contain secrets. */
  readonly idempotency?: IdempotencySpec<HandlerInput<P, Q, B, G>> | "ignored";
  /** True for work on whole files or with other servers, which gets a longer timeout. */
  readonly isLong?: boolean;
  /**
   * True for a write of a document's content that `?dryrun=1` turns into a dry run: the handler gets a context whose
   * documents report what they would do, and do not change.
   */
  readonly dryRun?: true;
  /** Refuses requests before existence and access are checked. */
  readonly early?: (body: object, params: Readonly<Record<string, string>>) => void;
  /**
   * The response of status 200: a schema for JSON, or a media type with a description; null for a route that always
   * refuses.
   */
  readonly response: z.ZodType | FileResponseSpec | null;
  /** The schema of the response of status 200 for clients that accept `application/x-ndjson`, as text. */
  readonly lines?: z.ZodType;
  /** The schema of responses with status 202: the work continues after the response. */
  readonly accepted?: z.ZodType;
  /** The form of bodies, answers and errors; `scim` for application/scim+json. */
  readonly form?: "scim";
  /** The status of success, if it is not 200. */
  readonly successStatus?: 201;
  /** Descriptions of other responses, by status, for the OpenAPI description. */
  readonly further?: Readonly<Record<number, string>>;
}

export interface HandlerInput<P, Q, B, G> {
  readonly call: Call;
  readonly ctx: Call["ctx"];
  readonly grant: G;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
}

/** A route as the server mounts it: its contract and its request handler. */
export interface Route {
  readonly spec: RouteSpec<unknown, unknown, unknown, unknown>;
  run(call: Call, params: Readonly<Record<string, string>>): Promise<Response>;
}

/**
 * Returns which node of a cluster answers the requests of a route. The content of a document is its owner's; whatever else
 * changes something writes home, unless the route says otherwise.
 */
export const classOf = ({
  method,
  access,
  requestClass,
}: Pick<Route["spec"], "method" | "access" | "requestClass">): RequestClass =>
  requestClass ?? access.requestClass ?? (method === "get" ? "anywhere" : "home");
