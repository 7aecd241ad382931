import type { Components, Operation, Payload, Schema } from "../pages/reference/openapi.ts";
import { resolveSchema, exampleValue } from "../pages/reference/schema.ts";

/**
 * Returns a curl command line for an operation with the examples of its description; `$KEY` is the key.
 * @param address URL of the server, without a trailing slash
 */
export function curlCommand(operation: Operation, components: Components, address: string): string {
  const { method, path, parameters, bodies } = operation;
  const example = ({ schema = {} }: { schema?: Schema }) =>
    encodeURIComponent(String(exampleValue(schema, components)));
  const filledPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((each) => each.in === "path" && each.name === name);
    return parameter ? example(parameter) : name;
  });
  const query = parameters
    .filter((parameter) => parameter.in === "query" && parameter.required)
    .map((parameter) => `${parameter.name}=${example(parameter)}`);
  const url = `${address}${filledPath}${query.length > 0 ? `?${query.join("&")}` : ""}`;
  const parts = [
    method === "GET" ? "curl" : `curl -X ${method}`,
    '-H "Authorization: Bearer $KEY"',
    ...(bodies[0] ? bodyArguments(bodies[0], components) : []),
    quoteForShell(url),
  ];
  return parts.join(" \\\n  ");
}

function bodyArguments({ type, schema }: Payload, components: Components): string[] {
  if (type !== "multipart/form-data") {
    return [
      '-H "Content-Type: application/json"',
      `-d ${quoteForShell(JSON.stringify(exampleValue(schema, components)))}`,
    ];
  }
  const { properties = {}, required = [] } = resolveSchema(schema, components).schema;
  return required.map((name) => {
    const field = properties[name] ?? {};
    const { format } = resolveSchema(field, components).schema;
    const value = format === "binary" ? "@file.grist" : String(exampleValue(field, components));
    return `-F ${quoteForShell(`${name}=${value}`)}`;
  });
}

/** Quotes a text as one word of a shell command. */
export const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
