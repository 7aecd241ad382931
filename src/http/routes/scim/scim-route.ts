/** Routes of SCIM, with its media type and form of errors. */
import type { UserGrant } from "../../../authorization.ts";
import { AppError, forbidden } from "../../../errors.ts";
import { guardSignedIn } from "../../../services/access/guards.ts";
import { MAX_BULK_BYTES } from "../../../services/scim/protocol/bulk-request.ts";
import { scimTypeOf } from "../../../services/scim/protocol/errors.ts";
import { BASE_PATH, ERROR_URN } from "../../../services/scim/protocol/urns.ts";
import { guardProvisioning, mayProvision } from "../../../services/scim/right.ts";
import { SCIM_MEDIA_TYPE } from "../../../wire/scim/messages.ts";
import type { Call } from "../../call.ts";
import { STATUS_BY_KIND } from "../../error-responses.ts";
import { type AccessCheck, type HandlerInput, route, type Route, type RouteSpec } from "../../route.ts";

const rightOf = ({ config }: Call) => ({ email: config.scimEmail });

/** Administrators of the installation, and the user of the settings. */
export const provisioningAccess: AccessCheck<UserGrant> = {
  about: "Administrators of the installation, and the user of `QUERN_SCIM_EMAIL`.",
  statuses: [401, 403],
  check(call) {
    const grant = guardSignedIn(call.actor);
    guardProvisioning(grant, rightOf(call));
    return grant;
  },
};

/** What all signed-in users may read, at exactly this path. */
export const describingAccess: AccessCheck<UserGrant> = {
  about: "Signed-in users.",
  statuses: [401],
  check(call) {
    const grant = guardSignedIn(call.actor);
    if (!mayProvision(grant, rightOf(call)) && !OPEN_PATHS.has(rawPath(call))) throw forbidden();
    return grant;
  },
};

/** Signed-in users; the operation checks the right itself. */
export const bulkAccess: AccessCheck<{ readonly grant: UserGrant; readonly refusal: AppError | null }> = {
  about: "Administrators of the installation, and the user of `QUERN_SCIM_EMAIL`; each operation of others is refused.",
  statuses: [401],
  check(call) {
    // A body without a declared length is limited as soon as it was read.
    requireSize(call.accounting.bufferedBodyBytes, MAX_BULK_BYTES);
    const grant = guardSignedIn(call.actor);
    try {
      guardProvisioning(grant, rightOf(call));
      return { grant, refusal: null };
    } catch (error) {
      if (error instanceof AppError) return { grant, refusal: error };
      throw error;
    }
  },
};

const LIMITED_KEY: ReadonlySet<string> = new Set(["scope.missing", "key.restricted", "key.network"]);

const OPEN_PATHS = new Set(
  ["Me", "Schemas", "ResourceTypes", "ServiceProviderConfig"].map((name) => `${BASE_PATH}/${name}`),
);

/** The path as the client wrote it, without the site. */
const rawPath = ({ request }: Call): string => new URL(request.url).pathname.replace(/^\/o\/[^/]+/i, "");

type Spec<P, Q, B, G> = Omit<RouteSpec<P, Q, B, G>, "tag" | "form" | "idempotency"> & {
  /** The size of larger bodies is refused before the right is checked. */
  readonly maxBytes?: number;
};

/** As `route`: answers refusals in the form of SCIM, and all requests with 501 while it is off. */
export function scimRoute<P, Q, B, G>(
  spec: Spec<P, Q, B, G>,
  handle: (input: HandlerInput<P, Q, B, G>) => Promise<Response> | Response,
): Route {
  const { maxBytes, ...contract } = spec;
  const full: RouteSpec<P, Q, B, G> = {
    ...contract,
    tag: "scim",
    form: "scim",
    // Repeated creations are refused because of their names.
    idempotency: "ignored",
    further: { 501: "SCIM is off (`QUERN_SCIM`).", ...contract.further },
  };
  const inner = route(full, handle);
  return {
    spec: inner.spec,
    async run(call, params) {
      requireSwitchedOn(call);
      try {
        guardSignedIn(call.actor);
        if (maxBytes !== undefined) requireSize(Number(call.request.headers.get("content-length") ?? 0), maxBytes);
        return await inner.run(call, params);
      } catch (error) {
        // Limited keys are refused in the form of all other routes, like wrong ones.
        if (!(error instanceof AppError) || LIMITED_KEY.has(error.reason)) throw error;
        return errorAnswer(error);
      }
    },
  };
}

/** @throws AppError `tooLarge` */
function requireSize(bytes: number, maxBytes: number): void {
  if (bytes > maxBytes) throw new AppError("limit.body_size", `The body exceeds the limit of ${maxBytes} bytes`);
}

/** @throws AppError `notImplemented`, in the form of all other routes */
export function requireSwitchedOn({ config }: Call): void {
  if (config.scim === "off") throw new AppError("feature.off", "SCIM API is not enabled");
}

export const scimResponse = (
  resource: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): Response =>
  resource === null
    ? new Response(null, { status })
    : new Response(JSON.stringify(resource), {
        status,
        headers: { "Content-Type": `${SCIM_MEDIA_TYPE}; charset=utf-8`, ...headers },
      });

/** Returns an error as answers contain it. */
export function errorResource(error: AppError) {
  const scimType = error.reason === "body.invalid_json" ? "invalidSyntax" : scimTypeOf(error);
  const userError = error.details?.["userError"];
  return {
    schemas: [ERROR_URN],
    status: String(STATUS_BY_KIND[error.code]),
    ...(scimType !== null && { scimType }),
    detail: typeof userError === "string" ? userError : error.message,
  };
}

export const errorAnswer = (error: AppError): Response =>
  scimResponse(errorResource(error), {
    status: STATUS_BY_KIND[error.code],
    headers: error.retryAfterS === undefined ? {} : { "Retry-After": String(error.retryAfterS) },
  });
