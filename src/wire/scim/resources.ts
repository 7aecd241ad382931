import { z } from "../common/schema.ts";

const schemas = z.array(z.string()).optional();
const meta = z.looseObject({ resourceType: z.string(), location: z.string() }).optional();

const Member = z.looseObject({
  value: z.string().openapi({ description: "The id of the member.", example: "6" }),
  display: z.string().optional(),
  $ref: z.string().optional(),
  type: z.string().optional().openapi({ description: "`User`, `Group` or, for inherited roles, `Role`." }),
});

export const ScimUser = z
  .looseObject({
    schemas,
    id: z.string(),
    externalId: z.string().optional(),
    meta,
    userName: z.string().optional(),
    displayName: z.string().optional(),
    active: z.boolean().optional(),
  })
  .openapi("ScimUser");

export const ScimGroup = z
  .looseObject({
    schemas,
    id: z.string(),
    externalId: z.string().optional(),
    meta,
    displayName: z.string().optional(),
    members: z.array(Member).optional(),
  })
  .openapi("ScimGroup");

export const ScimRole = z
  .looseObject({
    schemas,
    id: z.string(),
    meta,
    displayName: z.string().optional(),
    members: z.array(Member).optional(),
    docId: z.string().optional(),
    workspaceId: z.number().optional(),
    orgId: z.number().optional(),
  })
  .openapi("ScimRole");

export const ScimResource = z.looseObject({ schemas }).openapi("ScimResource");

export const ScimList = z
  .looseObject({
    schemas,
    totalResults: z.number(),
    itemsPerPage: z.number(),
    startIndex: z.number(),
    Resources: z.array(ScimResource),
  })
  .openapi("ScimList");

export const ScimParams = z.object({
  id: z.string().openapi({ description: "The id of the resource.", example: "9" }),
});
