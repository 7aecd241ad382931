import type { UserGrant } from "../../authorization.ts";
import { notFound } from "../../errors.ts";
import { guardAdmin } from "../access/guards.ts";
import type { Context } from "../context.ts";
import type { ClusterDescription } from "./cluster-description.ts";

/**
 * Returns the nodes that share the replicated log. For administrators.
 * @throws AppError `forbidden`; `notFound` without a log; `log.unavailable`
 */
export async function describeNodes({ replication }: Context, grant: UserGrant): Promise<ClusterDescription> {
  guardAdmin(grant, "view this page");
  if (!replication) throw notFound("The server has no replicated log", "route.not_found");
  return replication.describeCluster();
}
