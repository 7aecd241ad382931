/** Requests below the path of SCIM that no route answers. */
import { AppError } from "../../../errors.ts";
import { guardSignedIn } from "../../../services/access/guards.ts";
import { plainError } from "../../../services/scim/protocol/errors.ts";
import { BASE_PATH } from "../../../services/scim/protocol/urns.ts";
import type { Call } from "../../call.ts";
import { errorResponse } from "../../error-responses.ts";
import { errorAnswer, provisioningAccess, requireSwitchedOn } from "./scim-route.ts";

const PREFIX = "/api/scim/";

export const isScimPath = (path: string): boolean => path.startsWith(PREFIX);

/** What the specification has and this server does not. */
const UNSUPPORTED: readonly { readonly pattern: RegExp; readonly isOpen: boolean }[] = [
  { pattern: new RegExp(`^(POST|PUT|PATCH|DELETE) ${BASE_PATH}/Me$`, "i"), isOpen: true },
  { pattern: new RegExp(`^POST ${BASE_PATH}/Roles$`, "i"), isOpen: false },
  { pattern: new RegExp(`^DELETE ${BASE_PATH}/Roles/[^/]+$`, "i"), isOpen: false },
];

export function refuseUnknownScim(call: Call): Response {
  try {
    requireSwitchedOn(call);
  } catch (error) {
    return errorResponse(error, call);
  }
  try {
    guardSignedIn(call.actor);
    const request = `${call.request.method} ${call.path}`;
    const unsupported = UNSUPPORTED.find(({ pattern }) => pattern.test(request));
    if (!unsupported) throw plainError("route.not_found", `No route for ${request}`);
    if (!unsupported.isOpen) provisioningAccess.check(call, {}, {});
    throw plainError("notImplemented", "This operation is not supported");
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return errorAnswer(error);
  }
}
