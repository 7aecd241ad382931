import type { ClusterSite } from "../../cluster/cluster-site.ts";
import { createApi } from "../load/api.ts";
import { createItems } from "../log/items.ts";
import type { TokenSite } from "../log/token-writers.ts";
import type { Random } from "../random.ts";

/** Creates documents whose rows clients write through any node. */
export async function createTokenSite(
  { nodes, key }: ClusterSite,
  { documents: count, random }: { documents: number; random: Random },
): Promise<TokenSite> {
  const [first] = nodes;
  if (!first) throw new Error("no nodes");
  const api = createApi(first.address, key);
  const workspace = await api.send<number>("POST", "/orgs/current/workspaces", { name: "Load" });
  const documents: string[] = [];
  for (let i = 0; i < count; i++) documents.push(await createItems(api, workspace, `Load ${i}`));
  return {
    key,
    api,
    workspace,
    documents,
    // Nodes that do not run refuse connections, as behind a load balancer that has not noticed yet.
    address: () => random.pick(nodes).address,
    get dataFolders() {
      return nodes.map(({ data }) => data);
    },
    checkFile: (path) => first.command("doc", "check", path),
  };
}
