import { zodToOpenAPIRegistry } from "@asteasolutions/zod-to-openapi";
import { z } from "@hono/zod-openapi";

/**
 * zod with the method `.openapi(…)`, which gives a copy of a schema its name and metadata in the OpenAPI description.
 *
 * The package's own method adds ten closures and ten bound methods to each copy, so that its modifiers (`optional`, `min`
 * …) keep the metadata: for all schemas of the API that is more memory than all other code of an idle server. Here all
 * copies share the same functions. The metadata are in the package's registry, from which it generates the description.
 */
export { z };

// oxlint-disable-next-line typescript/no-deprecated -- not deprecated, but to be "used with caution": only here
const registry = zodToOpenAPIRegistry;

type Metadata = NonNullable<ReturnType<(typeof registry)["get"]>>;
type Method = (...args: unknown[]) => z.ZodType;

/** Modifiers whose result has the metadata of the schema that they were called on. */
const MODIFIERS = ["optional", "nullable", "default", "transform", "refine", "length", "min", "max"];
/** Modifiers of objects only. */
const OBJECT_MODIFIERS = ["catchall"];

const shared: Record<string, Method> = { extend: extendAnnotated };
for (const name of [...MODIFIERS, ...OBJECT_MODIFIERS]) {
  shared[name] = function (this: z.ZodType, ...args) {
    return copyMetadata(this, originalMethod(this, name)(...args));
  };
}

z.ZodType.prototype.openapi = function annotate(this: z.ZodType, first: unknown, ...others: unknown[]) {
  const refId = typeof first === "string" ? first : undefined;
  const [metadata = {}, options] = (refId === undefined ? [first, ...others] : others) as [Metadata?, object?];
  const { _internal: formerInternal, ...former } = metadataOf(this);
  const internal = { ...formerInternal, ...options, ...(refId !== undefined && { refId }) };
  const param = former.param || metadata.param ? { ...former.param, ...metadata.param } : undefined;
  const merged = {
    ...(Object.keys(internal).length > 0 && { _internal: internal }),
    ...former,
    ...metadata,
    ...(param && { param }),
  } as Metadata;
  // A copy: annotating the same schema twice must not change the first annotation.
  const copy = new (this.constructor as new (def: unknown) => z.ZodType)(this._zod.def);
  registry.add(copy, merged);
  // The schema refers to itself, not to its copy.
  if (this instanceof z.ZodLazy) registry.add(this, merged);
  const isObject = this instanceof z.ZodObject;
  for (const name of MODIFIERS) replaceMethod(copy, name);
  if (isObject) for (const name of [...OBJECT_MODIFIERS, "extend"]) replaceMethod(copy, name);
  return copy;
} as typeof z.ZodType.prototype.openapi;

const metadataOf = (schema: z.ZodType): Partial<Metadata> => registry.get(schema) ?? {};

function replaceMethod(schema: z.ZodType, name: string): void {
  const methods = schema as unknown as Record<string, Method | undefined>;
  // Of a few types, `min` and `max` are functions of each schema.
  const own = Object.hasOwn(schema, name) ? methods[name] : undefined;
  if (own) methods[name] = (...args) => copyMetadata(schema, own(...args));
  else if (name in schema) methods[name] = shared[name];
}

/** Returns the method of the schema's type. Reading it from the prototype sets it on the schema: this is reverted. */
function originalMethod(schema: z.ZodType, name: string): Method {
  const methods = schema as unknown as Record<string, Method | undefined>;
  const method = Reflect.get(Object.getPrototypeOf(schema) as object, name, schema) as Method;
  methods[name] = shared[name];
  return method;
}

function copyMetadata(from: z.ZodType, to: z.ZodType): z.ZodType {
  const metadata = registry.get(from);
  if (metadata) registry.add(to, metadata);
  return to;
}

/** An extended schema refers to the named one that it extends. */
function extendAnnotated(this: z.ZodType, ...args: unknown[]): z.ZodType {
  const extended = originalMethod(this, "extend")(...args);
  const { _internal: internal, ...rest } = metadataOf(this);
  const refId = internal?.refId;
  const extendedFrom = refId === undefined ? internal?.extendedFrom : { refId, schema: this };
  registry.add(extended, { _internal: { extendedFrom } } as Metadata);
  return extended.openapi(rest);
}
