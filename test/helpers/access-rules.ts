import { addingRules, type WrittenRules } from "../doc/rules/ruled.ts";
import type { TestApp } from "./app.ts";

interface Records {
  records: { id: number }[];
}

/** Replaces the access rules of a document. */
export async function setRules({ must }: TestApp, doc: string, rules: WrittenRules): Promise<void> {
  const idsOf = async (table: string) =>
    (await must<Records>("GET", `${doc}/tables/${table}/records`)).records.map(({ id }) => id).filter((id) => id > 1);
  await must("POST", `${doc}/apply`, [
    ["BulkRemoveRecord", "_grist_ACLRules", await idsOf("_grist_ACLRules")],
    ["BulkRemoveRecord", "_grist_ACLResources", await idsOf("_grist_ACLResources")],
    ...addingRules(rules),
  ]);
}
