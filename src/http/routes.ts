/** Every route of the API, by noun. */
import type { Route } from "./route.ts";
import { columnRoutes } from "./routes/columns.ts";
import { dataRoutes } from "./routes/data.ts";
import { recordRoutes } from "./routes/records.ts";
import { tableRoutes } from "./routes/tables.ts";

export const routes: readonly Route[] = [...tableRoutes, ...columnRoutes, ...recordRoutes, ...dataRoutes];
