import { applyUndo, planUndo } from "../../../services/documents/content.ts";
import { DocParams } from "../../../wire/common/params.ts";
import { UndoChangesBody, UndoneChanges } from "../../../wire/documents/undo.ts";
import { jsonBytesResponse } from "../../responses.ts";
import { documentContentAccess } from "../../route-access.ts";
import { jsonBody, route, type Route } from "../../route.ts";

export const undoRoutes: readonly Route[] = [
  route(
    {
      method: "post",
      path: "/api/docs/{docId}/undo-changes",
      id: "undoChanges",
      tag: "history",
      summary: "Undo your own changes",
      about:
        "Without `planId`, plans the undo of all changes of cells and rows that the API key made since a state, and changes " +
        "nothing. With the `planId` of a plan, applies exactly this plan, in one change, which can itself be undone. Cells " +
        "and rows that others have changed since are left alone and listed as conflicts, as are tables and columns.",
      access: documentContentAccess("editors"),
      params: DocParams,
      body: jsonBody(UndoChangesBody),
      idempotency: { keepsOnlyChanges: true },
      response: UndoneChanges,
      further: { 409: "The plan has changed: `details.plan` is the present one. Nothing was changed." },
    },
    async ({ ctx, grant, body: { since, planId } }) => {
      const { bytes } = await (planId === undefined
        ? planUndo(ctx, grant, { since })
        : applyUndo(ctx, grant, { since, planId }));
      return jsonBytesResponse(bytes);
    },
  ),
];
