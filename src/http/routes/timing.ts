import { describeTiming, startTiming, stopTiming } from "../../services/documents/content.ts";
import { DocParams } from "../../wire/common/params.ts";
import { TimingList, TimingStatus } from "../../wire/tables/timing.ts";
import { documentContentAccess } from "../route-access.ts";
import { jsonResponse, textResponse } from "../responses.ts";
import { route, type Route } from "../route.ts";

const path = "/api/docs/{docId}/timing";
const tag = "tables";
const ownerAccess = documentContentAccess("owners");

/** Routes of formula timing. */
export const timingRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path,
      id: "describeTiming",
      tag,
      summary: "Get formula timing",
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
      summary: "Start formula timing",
      about: "Continues until `timing/stop`, even if the document is closed and reopened.",
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
      summary: "Stop formula timing",
      about: "Returns the measurements.",
      access: ownerAccess,
      params: DocParams,
      response: TimingList,
    },
    async ({ ctx, grant }) => jsonResponse(await stopTiming(ctx, grant, null)),
  ),
];
