import { applyRestore, planRestore } from "../../../services/documents/content.ts";
import { StateParams } from "../../../wire/documents/history.ts";
import { RestoreCellsBody, RestoredCells } from "../../../wire/documents/restore.ts";
import { jsonBytesResponse } from "../../responses.ts";
import { documentContentAccess } from "../../route-access.ts";
import { jsonBody, route, type Route } from "../../route.ts";

export const restoreRoutes: readonly Route[] = [
  route(
    {
      method: "post",
      path: "/api/docs/{docId}/states/{state}/restore-cells",
      id: "restoreCells",
      tag: "history",
      summary: "Restore rows, columns or cells to a state",
      about:
        "Without `planId`, plans how cells and rows of one table get back what they had at a state, and changes nothing. With " +
        "the `planId` of a plan, applies exactly this plan, in one change, which can itself be undone. Cells and rows that " +
        "cannot be restored are left alone and listed as conflicts. Requires permission to copy the whole document.",
      access: documentContentAccess("editors"),
      params: StateParams,
      body: jsonBody(RestoreCellsBody),
      idempotency: { keepsOnlyChanges: true },
      response: RestoredCells,
      further: { 409: "The plan has changed: `details.plan` is the present one. Nothing was changed." },
    },
    async ({ ctx, grant, params: { state }, body: { planId, ...request } }) => {
      const args = { state, ...request };
      const { bytes } = await (planId === undefined
        ? planRestore(ctx, grant, args)
        : applyRestore(ctx, grant, { ...args, planId }));
      return jsonBytesResponse(bytes);
    },
  ),
];
