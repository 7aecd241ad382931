/** Identifiers of schemas and messages. */
export const USER_URN = "urn:ietf:params:scim:schemas:core:2.0:User";
export const GROUP_URN = "urn:ietf:params:scim:schemas:core:2.0:Group";
/** Existing clients know roles by this identifier. */
export const ROLE_URN = "urn:ietf:params:scim:schemas:Grist:1.0:Role";
/** Extensions of resources, whose attributes are accepted and ignored. */
export const EXTENSION_PREFIX = "urn:ietf:params:scim:schemas:extension:";

const MESSAGE = "urn:ietf:params:scim:api:messages:2.0:";
export const LIST_URN = `${MESSAGE}ListResponse`;
export const SEARCH_URN = `${MESSAGE}SearchRequest`;
export const PATCH_URN = `${MESSAGE}PatchOp`;
export const BULK_URN = `${MESSAGE}BulkRequest`;
export const BULK_RESPONSE_URN = `${MESSAGE}BulkResponse`;
export const ERROR_URN = `${MESSAGE}Error`;

/** The path of all endpoints. Addresses in answers begin with it. */
export const BASE_PATH = "/api/scim/v2";
