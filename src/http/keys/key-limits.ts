/** Checks requests of limited API keys before anything is looked up, so that a refusal depends on nothing but the key. */
import { forbidden } from "../../errors.ts";
import { metadataScopes } from "../../authorization.ts";
import { limitsOfActor, requireScope } from "../../services/access/key-limits.ts";
import type { Call } from "../call.ts";
import { routeScopeOf } from "./route-scopes.ts";

type Params = Readonly<Record<string, string>>;

/**
 * Checks the caller's key against the scopes of a route.
 * @throws AppError `forbidden` with `details.missingScope`, or if the key is restricted and the route is not about a
 * site, workspace or document
 */
export function checkKeyLimits(
  { actor, search, accounting }: Pick<Call, "actor" | "search" | "accounting">,
  id: string,
  params: Params | undefined,
): void {
  const limits = limitsOfActor(actor);
  if (!limits) return;
  const { scopes, reach, tables } = routeScopeOf(id);
  accounting.tableUse = tables;
  const isWrite = scopes.includes("records:write");
  for (const scope of scopes) requireScope(actor, scope);
  for (const scope of metadataScopes(params?.["tableId"], isWrite)) requireScope(actor, scope);
  // Past states are part of the history.
  if (search !== "" && new URLSearchParams(search).has("at")) requireScope(actor, "history:read");
  if (limits.restrictions && reach === "refused")
    throw forbidden("The API key is limited to certain sites, workspaces, documents or tables", "key.restricted");
}
