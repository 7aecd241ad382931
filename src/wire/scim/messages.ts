import { z } from "../common/schema.ts";

/** The media type of answers and, besides application/json, of bodies. */
export const SCIM_MEDIA_TYPE = "application/scim+json";

export const ScimError = z
  .object({
    schemas: z.array(z.string()).openapi({ example: ["urn:ietf:params:scim:api:messages:2.0:Error"] }),
    status: z.string().openapi({ description: "The status of the response.", example: "409" }),
    scimType: z
      .string()
      .optional()
      .openapi({ description: "The kind of error, as in RFC 7644, section 3.12.", example: "uniqueness" }),
    detail: z.string().openapi({ example: "A user with this address exists" }),
  })
  .openapi("ScimError");

type JsonType = "string" | "boolean" | "integer" | "array" | "null";
type SchemaObjects = Record<
  string,
  { type: JsonType | JsonType[]; description?: string; items?: { type: "string" | "object" } }
>;

/**
 * Bodies are validated by the operations, whose refusals have the keywords of SCIM. Null means a missing value, as in RFC
 * 7643, section 2.5.
 */
const body = (name: string, properties: SchemaObjects, example: object) =>
  z.any().openapi(name, { type: "object", properties, additionalProperties: true, example });

const texts: SchemaObjects[string] = { type: "array", items: { type: "string" } };
const textsOrNull: SchemaObjects[string] = { type: ["array", "null"], items: { type: "string" } };

export const ScimSearch = body(
  "ScimSearch",
  {
    schemas: texts,
    filter: { type: ["string", "null"] },
    attributes: textsOrNull,
    excludedAttributes: textsOrNull,
    sortBy: { type: ["string", "null"] },
    sortOrder: { type: ["string", "null"], description: "`ascending` or `descending`." },
    startIndex: { type: ["integer", "null"], description: "From 1." },
    count: { type: ["integer", "null"], description: "At most 1000; by default 20." },
  },
  { schemas: ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"], filter: 'userName sw "wanda"' },
);

export const ScimPatch = body(
  "ScimPatch",
  {
    schemas: texts,
    Operations: {
      type: "array",
      description: "Operations with `op` (`add`, `replace`, `remove`), `path` and `value`, as in RFC 7644.",
      items: { type: "object" },
    },
  },
  {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
    Operations: [{ op: "replace", path: "active", value: false }],
  },
);

export const ScimBulk = body(
  "ScimBulk",
  {
    schemas: texts,
    failOnErrors: { type: ["integer", "null"], description: "So many failures end the request." },
    Operations: {
      type: "array",
      description: "At most 1000 operations with `method`, `path`, `bulkId` and `data`.",
      items: { type: "object" },
    },
  },
  {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"],
    Operations: [{ method: "POST", path: "/Users", bulkId: "b1", data: { userName: "wanda@example.com" } }],
  },
);

/** Bodies of resources: unknown attributes are ignored. */
export const ScimUserInput = body(
  "ScimUserInput",
  { userName: { type: "string" }, displayName: { type: ["string", "null"] }, active: { type: ["boolean", "null"] } },
  {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
    userName: "wanda@example.com",
    displayName: "Wanda Wolf",
    externalId: "00u1",
    active: true,
  },
);

export const ScimGroupInput = body(
  "ScimGroupInput",
  { displayName: { type: "string" }, members: { type: ["array", "null"], items: { type: "object" } } },
  { displayName: "Crew", members: [{ value: "6", type: "User" }] },
);

export const ScimRoleInput = body(
  "ScimRoleInput",
  { members: { type: ["array", "null"], items: { type: "object" } } },
  { members: [{ value: "176", type: "Group" }] },
);

export const ScimBulkResult = z
  .looseObject({ schemas: z.array(z.string()), Operations: z.array(z.looseObject({ status: z.string() })) })
  .openapi("ScimBulkResult");

export const ScimListQuery = z.object({
  filter: z
    .any()
    .optional()
    .openapi({ type: "string", description: "A filter, as in RFC 7644.", example: 'userName eq "a@b.c"' }),
  sortBy: z.any().optional().openapi({ type: "string" }),
  sortOrder: z.any().optional().openapi({ type: "string", description: "`ascending` or `descending`." }),
  startIndex: z.any().optional().openapi({ type: "string", description: "From 1." }),
  count: z.any().optional().openapi({ type: "string", description: "At most 1000; by default 20." }),
  attributes: z.any().optional().openapi({ type: "string", description: "Names of attributes, separated by commas." }),
  excludedAttributes: z.any().optional().openapi({ type: "string" }),
});
