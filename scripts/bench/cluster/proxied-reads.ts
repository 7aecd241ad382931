import { startClusterSite } from "../../cluster/cluster-site.ts";
import { median } from "../timing.ts";
import { authorization, type ClusterFigure, createDocuments } from "./cluster-figure.ts";

const WARM_UP = 300;
const READS = 3000;
const QUICK_READS = 500;

/** The same read from the owner and through another node, in turns. */
export const proxiedReads: ClusterFigure = {
  name: "proxied-reads",
  async run({ isQuick }) {
    await using site = await startClusterSite({ nodes: 3 });
    const [doc = ""] = await createDocuments(site, 1);
    await site.spread([doc]);
    const owner = await site.ownerOf(doc);
    const other = site.nodes.find((node) => node !== owner);
    if (!owner || !other) throw new Error("the document has no owner");
    const headers = authorization(site);
    const readMs = async (address: string) => {
      const start = performance.now();
      const response = await fetch(`${address}/api/docs/${doc}/tables/Table1/records`, { headers });
      const text = await response.text();
      if (!response.ok) throw new Error(`${response.status} ${text}`);
      return performance.now() - start;
    };
    const [direct, proxied]: [number[], number[]] = [[], []];
    for (let i = -WARM_UP; i < (isQuick ? QUICK_READS : READS); i++) {
      const [a, b] = [await readMs(owner.address), await readMs(other.address)];
      if (i < 0) continue;
      direct.push(a);
      proxied.push(b);
    }
    return [
      { name: "read of 10 rows from the owner, p50", value: median(direct), unit: "ms" },
      { name: "read of 10 rows through another node, p50", value: median(proxied), unit: "ms" },
      { name: "cost of the proxy at p50", value: median(proxied) - median(direct), unit: "ms", target: { max: 1 } },
    ];
  },
};
