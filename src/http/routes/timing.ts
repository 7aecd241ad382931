import { describeTiming, startTiming, stopTiming } from "../../services/documents/content.ts";
import { DocParams } from "../../wire/common/params.ts";
import { TimingList, TimingStatus } from "../../wire/tables/timing.ts";
import { documentContentAccess } from "../route-access.ts";
import { jsonResponse, textResponse } from "../responses.ts";
import { route, type Route } from "../route.ts";

const path = "/api/docs/{docId}/timing";
const tag = "tables";
const ownerAccess = documentContentAccess("owners");

/** How long the formulas of a document take. */
export const timingRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path,
      id: "describeTiming",
      tag,
      summary: "Show how long formulas take",
      about: "By column, since `timing/start`.",
      access: ownerAccess,
      params: DocParams,
      response: TimingStatus,
    },
    async ({ ctx, grant }) => {
      const timing = await describeTiming(ctx, grant, null);
      return jsonResponse(timing ? { status: "active", timing } : { status: "disabled" });
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/start`,
      id: "startTiming",
      tag,
      summary: "Start measuring how long formulas take",
      about: "Until `timing/stop`, also while the document is closed and opened in between.",
      access: ownerAccess,
      params: DocParams,
      response: { type: "text/plain", about: "`OK`" },
    },
    async ({ ctx, grant }) => {
      await startTiming(ctx, grant, null);
      return textResponse("OK");
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/stop`,
      id: "stopTiming",
      tag,
      summary: "Stop measuring how long formulas take",
      about: "Answers what was measured.",
      access: ownerAccess,
      params: DocParams,
      response: TimingList,
    },
    async ({ ctx, grant }) => jsonResponse(await stopTiming(ctx, grant, null)),
  ),
];
