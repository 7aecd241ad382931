/** The OpenAPI description of our own API, as the reference reads it: the parts that our routes make use of. */

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

interface Content {
  readonly description?: string;
  /** By media type. */
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  /** By status. */
  readonly responses: Readonly<Record<string, Content>>;
}

interface Description {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/** The schemas that others refer to, by name. */
export type Components = Readonly<Record<string, Schema>>;

/** A body that is sent or answered. */
export interface Payload {
  readonly type: string;
  readonly schema: Schema;
  /** What is said of the answer as a whole. */
  readonly about: string;
}

export interface Operation {
  readonly id: string;
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly about: string;
  readonly parameters: readonly Parameter[];
  readonly bodies: readonly Payload[];
  readonly answers: readonly Payload[];
  readonly refusals: readonly { readonly status: string; readonly about: string }[];
}

/** The operations on one kind of thing. */
export interface Group {
  readonly name: string;
  /** The last part of its page's address. */
  readonly slug: string;
  readonly operations: readonly Operation[];
}

export interface Api {
  readonly groups: readonly Group[];
  readonly components: Components;
}

/** The description, sorted as the pages show it. */
export function readDescription(description: object): Api {
  const { tags, paths, components } = description as Description;
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ path, method: method.toUpperCase(), described })),
  );
  const groups = tags.map(({ name }) => ({
    name,
    slug: name.replaceAll(" ", "-"),
    operations: all.filter(({ described }) => described.tags.includes(name)).map(operation),
  }));
  return { groups, components: components.schemas ?? {} };
}

function operation({ path, method, described }: { path: string; method: string; described: Described }): Operation {
  const { operationId: id, summary, description = "", parameters = [], requestBody, responses } = described;
  const answers = Object.entries(responses);
  const isGood = ([status]: [string, unknown]) => status.startsWith("2");
  return {
    id,
    method,
    path,
    summary,
    about: description,
    parameters,
    bodies: requestBody ? payloads(requestBody) : [],
    answers: answers.filter(isGood).flatMap(([, answer]) => payloads(answer)),
    refusals: answers
      .filter((entry) => !isGood(entry))
      .map(([status, { description: about = "" }]) => ({ status, about })),
  };
}

const payloads = ({ content = {}, description: about = "" }: Content): Payload[] =>
  Object.entries(content).map(([type, { schema = {} }]) => ({ type, schema, about }));
