/** The schemas of users, groups and roles, and the description of the service. */
import type { Attribute, Resource, ScimSchema } from "./attributes.ts";
import { MAX_BULK_BYTES, MAX_BULK_OPERATIONS } from "./bulk-request.ts";
import { BASE_PATH, GROUP_URN, ROLE_URN, USER_URN } from "./urns.ts";

export type ResourceKind = "User" | "Group" | "Role";

/** The schemas, by resource. */
export type Schemas = Readonly<Record<ResourceKind, ScimSchema>>;

let loaded: Promise<Schemas> | undefined;

/** Loads the library with the schemas of RFC 7643 on first use. */
export const loadSchemas = (): Promise<Schemas> => (loaded ??= load());

async function load(): Promise<Schemas> {
  const { default: library } = await import("scimmy");
  // Its attributes are objects that become descriptions as JSON.
  const describe = (definition: { describe(basepath: string): unknown }) =>
    JSON.parse(JSON.stringify(definition.describe(`${BASE_PATH}/Schemas`))) as ScimSchema;
  return {
    User: describe(library.Schemas.User.definition),
    Group: describe(library.Schemas.Group.definition),
    Role: ROLE_SCHEMA,
  };
}

const SCHEMA_URN = "urn:ietf:params:scim:schemas:core:2.0:Schema";

const characteristics = { required: false, returned: "default", uniqueness: "none" };
const text = { ...characteristics, type: "string", multiValued: false, caseExact: false };

const member = (name: string, description: string, more: Partial<Attribute> & Record<string, unknown> = {}) => ({
  name,
  ...text,
  description,
  mutability: "immutable",
  ...more,
});

const MEMBER_TYPES = ["User", "Group", "Role"];

const ROLE_ATTRIBUTES = [
  {
    name: "displayName",
    ...text,
    description: "The name of the role: owners, editors, viewers, guests or, on sites, members.",
    mutability: "readOnly",
  },
  {
    name: "members",
    ...characteristics,
    type: "complex",
    multiValued: true,
    description: "The users and groups with the role, and the roles of the level above that are inherited.",
    mutability: "readWrite",
    subAttributes: [
      member("value", "The identifier of the member."),
      member("display", "The name of the member."),
      member("$ref", "The address of the member.", { type: "reference", referenceTypes: MEMBER_TYPES }),
      member("type", "The type of the member.", { canonicalValues: MEMBER_TYPES }),
    ],
  },
  { name: "docId", ...text, description: "The document of the role.", mutability: "readOnly" },
  {
    name: "workspaceId",
    ...text,
    type: "integer",
    description: "The workspace of the role.",
    mutability: "readOnly",
  },
  { name: "orgId", ...text, type: "integer", description: "The site of the role.", mutability: "readOnly" },
];

const ROLE_SCHEMA = {
  schemas: [SCHEMA_URN],
  id: ROLE_URN,
  name: "Role",
  description: "The users and groups with one role on a site, workspace or document",
  attributes: ROLE_ATTRIBUTES,
  meta: { resourceType: "Schema", location: `${BASE_PATH}/Schemas/${ROLE_URN}` },
};

export const schemaResources = (schemas: Schemas): Resource[] =>
  [schemas.User, schemas.Group, schemas.Role].map((schema) => schema as unknown as Resource);

const resourceType = (name: ResourceKind, endpoint: string, schema: string, description: string): Resource => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
  id: name,
  name,
  endpoint,
  description,
  schema,
  meta: { resourceType: "ResourceType", location: `${BASE_PATH}/ResourceTypes/${name}` },
});

export const RESOURCE_TYPES: readonly Resource[] = [
  resourceType("User", "/Users", USER_URN, "User Account"),
  resourceType("Group", "/Groups", GROUP_URN, "Group"),
  resourceType("Role", "/Roles", ROLE_URN, "Role on a site, workspace or document"),
];

/** The most users that a filter on their names alone finds. */
export const MAX_FILTER_RESULTS = 200;

export const SERVICE_PROVIDER_CONFIG: Resource = {
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
  meta: { resourceType: "ServiceProviderConfig", location: `${BASE_PATH}/ServiceProviderConfig` },
  patch: { supported: true },
  bulk: { supported: true, maxOperations: MAX_BULK_OPERATIONS, maxPayloadSize: MAX_BULK_BYTES },
  filter: { supported: true, maxResults: MAX_FILTER_RESULTS },
  changePassword: { supported: false },
  sort: { supported: true },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "API key",
      description: "The API key of an administrator of the installation, as a bearer token",
      specUri: "https://datatracker.ietf.org/doc/html/rfc6750",
    },
  ],
};
