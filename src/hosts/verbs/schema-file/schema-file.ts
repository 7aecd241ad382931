import type { DocumentGrant } from "../../../authorization.ts";
import { DryRun, DryRunTimeout, withDryRun } from "../../../doc/dry-run/dry-run.ts";
import { rolledBack } from "../../../doc/dry-run/run-dry.ts";
import type { OpenDocument } from "../../../doc/document.ts";
import { type AppliedSchema, schemaFileActions } from "../../../doc/schema-file/apply-schema-file.ts";
import { describeSchema } from "../../../doc/schema-file/describe-schema.ts";
import { userInfo } from "../../../doc/user-info.ts";
import { AppError } from "../../../errors.ts";
import { parseSchemaFile } from "../../../exchange/schema-file/parse-schema-file.ts";
import { writeSchemaFile } from "../../../exchange/schema-file/write-schema-file.ts";
import { parseJson, validate } from "../../../payload.ts";
import { SchemaFileBody } from "../../../wire/schema/schema-file.ts";
import { applyAsCaller, type JsonResult, jsonResult } from "../apply-actions.ts";
import { checkVerbAccess } from "../check-access.ts";
import { type ConditionalArgs, renderChunks, renderValue } from "../render.ts";
import { verb } from "../verb.ts";

interface ReadArgs extends ConditionalArgs {
  readonly form: "json" | "yaml";
}

interface SchemaFileArgs {
  /** JSON that matches `SchemaFileBody`. */
  readonly body: Uint8Array | null;
}

/** How long a comparison may hold the write lock. Only owners compare: more than a dry run, of which callers make many. */
const COMPARISON_MS = 10_000;

const FULL_ACCESS = { needs: "owners", underRules: "requiresFullAccess" } as const;

/** Verbs that read and write the whole schema of a document. */
export const schemaFileVerbs = {
  "schema.read": verb({ ...FULL_ACCESS, reads: "snapshot", changes: "none", run: read }),
  "schema.diff": verb({ ...FULL_ACCESS, changes: "none", run: diff }),
  "schema.apply": verb({ ...FULL_ACCESS, changes: "content", run: apply }),
};

function read(document: OpenDocument, grant: DocumentGrant, args: ReadArgs) {
  refuseLimitedKeys(document, grant);
  if (args.form === "yaml")
    return renderChunks(document, grant, args, () => [writeSchemaFile(describeSchema(document))].values());
  return renderValue(document, grant, args, () => ({ version: document.version, schema: describeSchema(document) }));
}

function diff(document: OpenDocument, grant: DocumentGrant, args: SchemaFileArgs): JsonResult {
  const { version } = document;
  try {
    const applied = rolledBack(document, () =>
      withDryRun(document.db, new DryRun(document.clock, COMPARISON_MS), () =>
        run(document, grant, { ...args, allowsAllLoss: true }),
      ),
    );
    return result(version, applied);
  } catch (error) {
    if (error instanceof DryRunTimeout) throw new AppError("dry_run.time_limit", "The comparison takes too long");
    throw error;
  }
}

function apply(document: OpenDocument, grant: DocumentGrant, args: SchemaFileArgs): JsonResult {
  const applied = run(document, grant, { ...args, allowsAllLoss: false });
  return result(document.version, applied);
}

function run(
  document: OpenDocument,
  grant: DocumentGrant,
  { body, allowsAllLoss }: SchemaFileArgs & { allowsAllLoss: boolean },
): AppliedSchema {
  refuseLimitedKeys(document, grant);
  const { schema, version, allowDataLoss = false } = validate(SchemaFileBody, parseJson(body), "body");
  if (version !== undefined && version !== document.version) {
    throw new AppError("schema.version_changed", "The document has changed since this version: compare again", {
      details: { version: document.version },
    });
  }
  const { file, problems } = parseSchemaFile(schema);
  const { actions, applied } = schemaFileActions(document, {
    file,
    problems,
    user: userInfo(grant),
    allowDataLoss: allowDataLoss || allowsAllLoss,
  });
  applyAsCaller(document, grant, actions, { noparse: true });
  if (applied.recordsKeys) document.onChanged({ schema: true });
  return applied;
}

const result = (version: string, { changes }: AppliedSchema): JsonResult =>
  jsonResult({ version, changes, losesData: changes.some(({ loss }) => loss) });

/** A key that is limited to tables may not learn about the others. */
function refuseLimitedKeys(document: OpenDocument, grant: DocumentGrant): void {
  if (grant.tables) checkVerbAccess(document, grant, { needs: "owners" });
}
