import type { Documents } from "../../hosts/documents.ts";
import { changeOf } from "../../hosts/observed-documents.ts";
import type { Context } from "../context.ts";

/**
 * Returns a context whose documents do not change: verbs that write report what they would do, in place of their
 * result.
 */
export const dryRunContext = (ctx: Context): Context => ({ ...ctx, documents: dryRunDocuments(ctx.documents) });

const dryRunDocuments = (documents: Documents): Documents => ({
  ...documents,
  async call(grant, verb, args) {
    if (changeOf(verb) === "none") return documents.call(grant, verb, args);
    // All verbs with a dry run return JSON as bytes.
    return (await documents.call(grant, "changes.preview", { verb, args })) as never;
  },
});
