import type { DocumentGrant } from "../../authorization.ts";
import type { VerbArgs, VerbResult } from "../../hosts/verbs/verbs.ts";
import type { Context } from "../context.ts";

/** The schema of a document as a file. */

export const readSchemaFile = (
  { documents }: Context,
  grant: DocumentGrant,
  args: VerbArgs<"schema.read">,
): Promise<VerbResult<"schema.read">> => documents.call(grant, "schema.read", args);

export const diffSchemaFile = (
  { documents }: Context,
  grant: DocumentGrant,
  args: VerbArgs<"schema.diff">,
): Promise<VerbResult<"schema.diff">> => documents.call(grant, "schema.diff", args);

export const applySchemaFile = (
  { documents }: Context,
  grant: DocumentGrant,
  args: VerbArgs<"schema.apply">,
): Promise<VerbResult<"schema.apply">> => documents.call(grant, "schema.apply", args);
