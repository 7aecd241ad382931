import { AppError } from "../../errors.ts";
import { yieldToEventLoop } from "../../lib/time/timers.ts";
import { isObject, type Json, type Resource, valueOf } from "./protocol/attributes.ts";
import { plainError, scimError } from "./protocol/errors.ts";
import type { BulkRequest } from "./protocol/bulk-request.ts";
import type { ResourceKind } from "./protocol/schemas.ts";
import { BASE_PATH, BULK_RESPONSE_URN } from "./protocol/urns.ts";
import { answerScim, type ScimAnswer, type ScimMethod } from "./provisioning.ts";
import type { ScimContext } from "./resources/scim-context.ts";

export interface BulkOptions {
  /** Null for callers without the right, whose operations are all refused with `refusal`. */
  readonly scim: ScimContext | null;
  readonly refusal: AppError | null;
  /** Returns an error as an answer contains it. */
  readonly describeError: (error: AppError) => Resource;
}

/** Runs the operations one after the other. A failure neither stops nor undoes others, up to `failOnErrors`. */
export async function runBulk({ operations, failOnErrors }: BulkRequest, options: BulkOptions): Promise<Resource> {
  const ids = new Map<string, string>();
  const results: Resource[] = [];
  let failures = 0;
  for (const operation of operations) {
    // Each is a transaction: other requests are answered in between.
    await yieldToEventLoop();
    const result = await runOne(operation, ids, options);
    results.push(result);
    if ("response" in result && ++failures === failOnErrors) break;
  }
  return { schemas: [BULK_RESPONSE_URN], Operations: results };
}

interface Operation {
  readonly method: ScimMethod;
  readonly kind: ResourceKind;
  readonly id: string | null;
  readonly data: Json | undefined;
}

async function runOne(operation: Json, ids: Map<string, string>, options: BulkOptions): Promise<Resource> {
  const given = isObject(operation) ? operation : {};
  const method = valueOf(given, "method");
  const bulkId = valueOf(given, "bulkId");
  const head: Resource = {
    ...(typeof method === "string" && { method: method.toUpperCase() }),
    ...(typeof bulkId === "string" && { bulkId }),
  };
  let location: string | null = null;
  try {
    if (!options.scim) throw options.refusal ?? plainError("forbidden", "No access");
    const read = readOperation(given, ids);
    if (read.id !== null) location = `${BASE_PATH}/${read.kind}s/${read.id}`;
    const { status, resource } = await run(options.scim, read);
    if (resource && typeof resource["id"] === "string") {
      if (typeof bulkId === "string") ids.set(bulkId, resource["id"]);
      location = `${BASE_PATH}/${read.kind}s/${resource["id"]}`;
    }
    return { ...head, ...(location !== null && { location }), status: String(status) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const response = options.describeError(error);
    return { ...head, ...(location !== null && { location }), status: response["status"] ?? "500", response };
  }
}

const run = (scim: ScimContext, { method, kind, id, data }: Operation): Promise<ScimAnswer> =>
  answerScim(scim, method, { kind, id, search: "", body: data ?? {} });

const METHODS = ["POST", "PUT", "PATCH", "DELETE"] as const;
const KINDS: Readonly<Record<string, ResourceKind>> = { users: "User", groups: "Group", roles: "Role" };

function readOperation(given: Resource, ids: ReadonlyMap<string, string>): Operation {
  const methodText = valueOf(given, "method");
  const path = valueOf(given, "path");
  if (typeof methodText !== "string" || typeof path !== "string")
    throw scimError("invalidSyntax", "An operation needs a method and a path");
  const method = METHODS.find((one) => one === methodText.toUpperCase());
  if (!method) throw scimError("invalidValue", `method must be one of ${METHODS.join(", ")}`);
  const bulkId = valueOf(given, "bulkId");
  if (method === "POST" && (typeof bulkId !== "string" || bulkId === ""))
    throw scimError("invalidSyntax", "POST needs a bulkId");
  const [, segment = "", id = null, ...rest] = path.split("/");
  const kind = KINDS[segment.toLowerCase()];
  if (!path.startsWith("/") || !kind || rest.length > 0 || (method === "POST" && id !== null))
    throw scimError("invalidValue", `${JSON.stringify(path)} is not a path of a resource`);
  if (method !== "POST" && (id === null || id === "")) throw plainError("notFound", "The path needs an id");
  const data = valueOf(given, "data");
  return {
    method,
    kind,
    id: id === null ? null : resolved(id, ids),
    data: data === undefined ? undefined : withIds(data, ids),
  };
}

/** Replaces references to resources that earlier operations have created. */
function withIds(value: Json, ids: ReadonlyMap<string, string>): Json {
  if (typeof value === "string") return resolved(value, ids);
  if (Array.isArray(value)) return value.map((one: Json) => withIds(one, ids));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withIds(part, ids)]));
}

function resolved(text: string, ids: ReadonlyMap<string, string>): string {
  if (!text.startsWith("bulkId:")) return text;
  const id = ids.get(text.slice("bulkId:".length));
  if (id === undefined) throw scimError("invalidValue", `No earlier operation created ${text}`);
  return id;
}
