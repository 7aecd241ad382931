/** The subset of OpenAPI that our own description uses. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly example?: unknown;
  readonly default?: unknown;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

interface ContentObject {
  readonly description?: string;
  /** By media type. */
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: ContentObject;
  /** By status. */
  readonly responses: Readonly<Record<string, ContentObject>>;
}

interface OpenApiDocument {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/** Named schemas, the targets of `$ref`. */
export type Components = Readonly<Record<string, Schema>>;

/** A request or response body. */
export interface Payload {
  readonly type: string;
  readonly schema: Schema;
  /** The description of the response. */
  readonly description: string;
}

export interface Operation {
  readonly id: string;
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly bodies: readonly Payload[];
  readonly responses: readonly Payload[];
  readonly errors: readonly { readonly status: string; readonly description: string }[];
}

/** The operations of one tag. */
export interface Group {
  readonly name: string;
  /** The last segment of its page's URL. */
  readonly slug: string;
  readonly operations: readonly Operation[];
}

export interface Api {
  readonly groups: readonly Group[];
  readonly components: Components;
}

/** Groups the operations as shown on the pages. */
export function parseOpenApi(description: object): Api {
  const { tags, paths, components } = description as OpenApiDocument;
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ path, method: method.toUpperCase(), described })),
  );
  const groups = tags.map(({ name }) => ({
    name,
    slug: name.replaceAll(" ", "-"),
    operations: all.filter(({ described }) => described.tags.includes(name)).map(toOperation),
  }));
  return { groups, components: components.schemas ?? {} };
}

function toOperation({
  path,
  method,
  described,
}: {
  path: string;
  method: string;
  described: OperationObject;
}): Operation {
  const { operationId: id, summary, description = "", parameters = [], requestBody, responses } = described;
  const answers = Object.entries(responses);
  const isSuccess = ([status]: [string, unknown]) => status.startsWith("2");
  return {
    id,
    method,
    path,
    summary,
    description,
    parameters,
    bodies: requestBody ? payloads(requestBody) : [],
    responses: answers.filter(isSuccess).flatMap(([, answer]) => payloads(answer)),
    errors: answers
      .filter((entry) => !isSuccess(entry))
      .map(([status, { description: text = "" }]) => ({ status, description: text })),
  };
}

const payloads = ({ content = {}, description = "" }: ContentObject): Payload[] =>
  Object.entries(content).map(([type, { schema = {} }]) => ({ type, schema, description }));
