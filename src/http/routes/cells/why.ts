import { explainCell } from "../../../services/documents/content.ts";
import { CellExplanation, CellParams, WhyQuery } from "../../../wire/tables/why.ts";
import { renderedResponse } from "../../responses.ts";
import { documentContentAccess } from "../../route-access.ts";
import { route, type Route } from "../../route.ts";

export const whyRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: "/api/docs/{docId}/cells/{tableId}/{rowId}/{columnId}/why",
      id: "explainCell",
      tag: "tables",
      summary: "Explain a cell",
      about:
        "Returns what the formula of the cell reads, what it costs, what depends on the cell, and what the caller may do with it. The formula is evaluated again, and nothing is written. " +
        "Everything that access rules hide from the caller is left out and not counted. A cell that the caller cannot read is not found, as one that does not exist.",
      access: documentContentAccess("viewers"),
      params: CellParams,
      query: WhyQuery,
      response: CellExplanation,
    },
    async ({ ctx, grant, params, query }) => {
      const { tableId: table, rowId: row, columnId: column } = params;
      return renderedResponse(ctx, grant, await explainCell(ctx, grant, { table, row, column, ...query }));
    },
  ),
];
