import type { Components, Operation, Payload, Schema } from "./description.ts";
import { resolve, sampleOf } from "./schema.ts";

/**
 * A command line that calls an operation with the examples of its description, for a shell where `$KEY` is the key.
 * @param address where the server is reached, without a trailing slash
 */
export function curlLine(operation: Operation, components: Components, address: string): string {
  const { method, path, parameters, bodies } = operation;
  const example = ({ schema = {} }: { schema?: Schema }) => encodeURIComponent(String(sampleOf(schema, components)));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((each) => each.in === "path" && each.name === name);
    return parameter ? example(parameter) : name;
  });
  const query = parameters
    .filter((parameter) => parameter.in === "query" && parameter.required)
    .map((parameter) => `${parameter.name}=${example(parameter)}`);
  const url = `${address}${filled}${query.length > 0 ? `?${query.join("&")}` : ""}`;
  const words = [
    method === "GET" ? "curl" : `curl -X ${method}`,
    '-H "Authorization: Bearer $KEY"',
    ...(bodies[0] ? bodyWords(bodies[0], components) : []),
    quoted(url),
  ];
  return words.join(" \\\n  ");
}

function bodyWords({ type, schema }: Payload, components: Components): string[] {
  if (type !== "multipart/form-data") {
    return ['-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(sampleOf(schema, components)))}`];
  }
  const { properties = {}, required = [] } = resolve(schema, components).schema;
  return required.map((name) => {
    const field = properties[name] ?? {};
    const { format } = resolve(field, components).schema;
    const value = format === "binary" ? "@file.grist" : String(sampleOf(field, components));
    return `-F ${quoted(`${name}=${value}`)}`;
  });
}

/** A word for the shell, in which nothing has a meaning. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
