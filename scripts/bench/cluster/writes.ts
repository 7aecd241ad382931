import { startClusterSite } from "../../cluster/cluster-site.ts";
import { authorization, type ClusterFigure, createDocuments } from "./cluster-figure.ts";
import { loadDocuments } from "./document-load.ts";

const DOCUMENTS = 8;
const CONNECTIONS = 8;
const SECONDS = 8;
const QUICK_SECONDS = 2;
const WARM_UP_SECONDS = 3;

/** Acknowledged one-row writes to documents that are spread over three nodes. */
export const writes: ClusterFigure = {
  name: "writes",
  async run({ isQuick }) {
    await using site = await startClusterSite({ nodes: 3 });
    const documents = await createDocuments(site, DOCUMENTS);
    await site.spread(documents);
    const body = JSON.stringify({ records: [{ fields: { A: "key", B: "Riga", C: "a note" } }] });
    const urlOf = (doc: string, index: number) =>
      `${site.nodes[index % site.nodes.length]?.address}/api/docs/${doc}/tables/Table1/records`;
    const measure = async (urls: readonly string[]) => {
      const load = { urls, headers: authorization(site), body, connections: CONNECTIONS };
      await loadDocuments({ ...load, seconds: WARM_UP_SECONDS });
      return loadDocuments({ ...load, seconds: isQuick ? QUICK_SECONDS : SECONDS });
    };
    const toOwners = await measure(documents.map(urlOf));
    const toOthers = await measure(documents.map((doc, index) => urlOf(doc, index + 1)));
    const name = "acknowledged one-row writes, 8 documents on 3 nodes";
    return [
      { name: `${name}, to their owners`, value: toOwners, unit: "/s", target: { min: 1500 } },
      { name: `${name}, through other nodes`, value: toOthers, unit: "/s" },
    ];
  },
};
