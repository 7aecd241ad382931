import { findPersonalView, removePersonalView, savePersonalView } from "../../services/documents/personal-views.ts";
import { guardPersonalViews, type PersonalViewGrant } from "../../services/access/personal-view-guard.ts";
import { NullResponse } from "../../wire/common/null-response.ts";
import { FoundPersonalView, PersonalView, SectionParams } from "../../wire/documents/personal-views.ts";
import { jsonResponse } from "../responses.ts";
import { documentInfoAccess } from "../route-access.ts";
import { type AccessCheck, jsonBody, route, type Route } from "../route.ts";

const path = "/api/docs/{docId}/sections/{section}/view";
const tag = "documents";

const viewers = documentInfoAccess("viewers");

const personalViewAccess: AccessCheck<PersonalViewGrant> = {
  about: "Signed-in owners, editors and viewers of the document, for their own view.",
  statuses: [401, 403, 404],
  check: (call, params, body) => guardPersonalViews(viewers.check(call, params, body)),
};

export const personalViewRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path,
      id: "findPersonalView",
      tag,
      summary: "Get the caller's view of a section",
      about: "How the caller wants to see a section of a page. It is not part of the document.",
      access: personalViewAccess,
      params: SectionParams,
      response: FoundPersonalView,
    },
    ({ ctx, grant, params }) => jsonResponse({ view: findPersonalView(ctx, grant, params.section) }),
  ),
  route(
    {
      method: "put",
      path,
      id: "savePersonalView",
      tag,
      summary: "Save a view of a section for the caller only",
      about:
        "Replaces the caller's view of the section. It is not checked whether section and columns exist: pages leave out parts " +
        "that do not. A view can have 20,000 characters, and a user 500 views in a document.",
      access: personalViewAccess,
      params: SectionParams,
      body: jsonBody(PersonalView),
      response: NullResponse,
    },
    ({ ctx, grant, params, body }) => {
      savePersonalView(ctx, grant, { section: params.section, view: body });
      return jsonResponse(null);
    },
  ),
  route(
    {
      method: "delete",
      path,
      id: "removePersonalView",
      tag,
      summary: "Delete the caller's view of a section",
      about: "The caller then sees the section as it is saved for everyone.",
      access: personalViewAccess,
      params: SectionParams,
      response: NullResponse,
    },
    ({ ctx, grant, params }) => {
      removePersonalView(ctx, grant, params.section);
      return jsonResponse(null);
    },
  ),
];
