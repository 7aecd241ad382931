import { guardDocument, guardSignedIn } from "../../services/access/guards.ts";
import { createToken, keyRequired } from "../../services/tokens/create-token.ts";
import { CreatedToken, NewToken } from "../../wire/access/tokens.ts";
import { DocParams } from "../../wire/common/params.ts";
import type { DocumentGrant } from "../../authorization.ts";
import { jsonResponse } from "../responses.ts";
import { jsonBody, route, type AccessCheck, type Route } from "../route.ts";

/** Owners with an API key: a token ends with its key. */
const keyOfOwnerAccess: AccessCheck<DocumentGrant> = {
  about: "Owners of the document, with an API key.",
  statuses: [401, 403, 404],
  check(call, params) {
    const grant = guardDocument(call.ctx, call.actor, call.scope, params["docId"] ?? "", "owners");
    if (guardSignedIn(call.actor).actor.keyId === undefined) throw keyRequired();
    call.accounting.document = grant.uuid;
    return grant;
  },
};

export const tokenRoutes: readonly Route[] = [
  route(
    {
      method: "post",
      path: "/api/docs/{docId}/tokens",
      id: "createToken",
      tag: "tokens",
      summary: "Create a token for an end user",
      about:
        "Returns a token for this document, which your backend passes on to the browser of an end user. Access rules see " +
        "the given email address, whether or not it has an account. The token is not stored: it ends when it expires, when " +
        "the API key is revoked, or when the user of the key no longer owns the document.",
      access: keyOfOwnerAccess,
      requestClass: "anywhere",
      params: DocParams,
      body: jsonBody(NewToken),
      idempotency: "ignored",
      response: CreatedToken,
    },
    ({ ctx, grant, body }) => jsonResponse(createToken(ctx, grant, body)),
  ),
];
