import { type OpenForm, readDocumentForm, readForm } from "../../../services/forms/forms.ts";
import { listShareKeys } from "../../../services/forms/share-keys.ts";
import { DocParams } from "../../../wire/common/params.ts";
import { DocFormParams, FormDefinition, LinkFormParams, ShareKeys } from "../../../wire/forms/forms.ts";
import { jsonResponse } from "../../responses.ts";
import { documentContentAccess } from "../../route-access.ts";
import { route, type Route } from "../../route.ts";
import { formLinkAccess } from "./link-access.ts";

const tag = "forms";

export const formRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: "/api/docs/{docId}/forms/{section}",
      id: "describeForm",
      tag,
      summary: "Get what a form asks",
      about: "Published or not. Columns and rows that access rules hide from the caller are left out.",
      access: documentContentAccess("viewers"),
      params: DocFormParams,
      response: FormDefinition,
    },
    async ({ ctx, grant, params: { section } }) =>
      jsonResponse(shownForm(await readDocumentForm(ctx, grant, { section }))),
  ),
  route(
    {
      method: "get",
      path: "/api/docs/{docId}/shares",
      id: "listShareKeys",
      tag,
      summary: "List the keys of published forms",
      about:
        "A key for each share of the document; it is created at the first request. Keys do not travel with a document's file.",
      access: documentContentAccess("owners"),
      params: DocParams,
      response: ShareKeys,
    },
    async ({ ctx, grant }) => jsonResponse(await listShareKeys(ctx, grant)),
  ),
  route(
    {
      method: "get",
      path: "/api/s/{key}/forms/{section}",
      id: "describePublishedForm",
      tag,
      summary: "Get what a published form asks",
      access: formLinkAccess,
      params: LinkFormParams,
      response: FormDefinition,
      further: { 403: "The form is closed." },
    },
    async ({ ctx, grant, params: { section } }) => jsonResponse(shownForm(await readForm(ctx, { grant }, { section }))),
  ),
];

/** Existing clients expect no other keys, unless a form has the settings. */
const shownForm = ({ closesAt, isSignInRequired, ...definition }: OpenForm) => ({
  ...definition,
  ...(closesAt !== null && { closesAt }),
  ...(isSignInRequired && { signIn: true }),
});
