import type { ClusterSite } from "../../cluster/cluster-site.ts";
import { createApi } from "../../stress/load/api.ts";
import type { Measurement } from "../bench.ts";

/** A figure of clusters. Each is a file here, listed in main.ts. */
export interface ClusterFigure {
  readonly name: string;
  /** Returns the reason why this machine cannot measure it, besides PostgreSQL. */
  missing?(): string | undefined;
  run(options: { readonly isQuick: boolean }): Promise<Measurement[]>;
}

/** Creates documents with a table Table1 of a few rows. */
export async function createDocuments({ nodes, key }: ClusterSite, count: number, rows = 10): Promise<string[]> {
  const api = createApi(nodes[0]?.address ?? "", key);
  const workspace = await api.send<number>("POST", "/orgs/current/workspaces", { name: "Bench" });
  const records = Array.from({ length: rows }, (_, row) => ({ fields: { A: `key ${row}`, B: "Riga", C: "a note" } }));
  const documents: string[] = [];
  for (let i = 0; i < count; i++) {
    const doc = await api.send<string>("POST", `/workspaces/${workspace}/docs`, { name: `Bench ${i}` });
    await api.send("POST", `/docs/${doc}/tables/Table1/records`, { records });
    documents.push(doc);
  }
  return documents;
}

export const authorization = ({ key }: ClusterSite) => ({
  Authorization: `Bearer ${key}`,
  "Content-Type": "application/json",
});
