/** Checks of blocks that do not run: bodies of requests and responses, and configuration files. */
import { readConfig } from "../../../src/config.ts";
import { operations, problemOf } from "../../api/contract/description.ts";
import type { Block } from "./blocks.ts";

/** Returns what is wrong with a JSON body, by the schema of its operation: `request="POST /api/docs/{docId}/tables"`. */
export function checkBody({ attributes, text }: Block): string | null {
  const { request, response } = attributes;
  const [method, path, status = "200"] = (request ?? response ?? "").split(" ");
  const operation = operations.find((each) => each.method === method && each.path === path);
  if (!operation) return `the API has no operation ${method} ${path}`;
  const content = request === undefined ? operation.responses[status]?.content : operation.bodies;
  const schema = content?.["application/json"]?.schema;
  if (schema === undefined) return `${method} ${path} has no such JSON body`;
  return problemOf(schema, JSON.parse(text));
}

/** Returns what is wrong with a configuration file, as far as a parser can tell. */
export function checkConfiguration({ language, text }: Block): string | null {
  switch (language) {
    case "yaml":
      return thrownBy(() => Bun.YAML.parse(text));
    case "toml":
      return thrownBy(() => Bun.TOML.parse(text));
    case "env":
      return checkSettings(text);
    case "ini":
      return unknownLine(text, /^(\[[^\]]+\]|[#;].*|[A-Za-z][\w.-]*\s*=.*|)$/);
    default:
      return unbalanced(text);
  }
}

/** Returns the problem with a file of settings (`QUERN_PORT=8080`), as systemd and Compose read it. */
function checkSettings(text: string): string | null {
  const problem = unknownLine(text, /^(#.*|[A-Z][A-Z0-9_]*=.*|)$/);
  if (problem !== null) return problem;
  const settings = [...text.matchAll(/^(QUERN_\w+)=(.*)$/gm)].map(
    ([, name = "", value = ""]) => [name, value] as const,
  );
  return thrownBy(() => readConfig({}, Object.fromEntries(settings)));
}

function unknownLine(text: string, known: RegExp): string | null {
  const line = text.split("\n").find((each) => !known.test(each.trim()));
  return line === undefined ? null : `cannot parse the line ${line}`;
}

/** nginx and Caddy check their whole files in operations.test.ts; excerpts are only checked for their braces. */
function unbalanced(text: string): string | null {
  let depth = 0;
  for (const [brace] of text.matchAll(/[{}]/g)) {
    depth += brace === "{" ? 1 : -1;
    if (depth < 0) break;
  }
  return depth === 0 ? null : "braces are not balanced";
}

function thrownBy(parse: () => unknown): string | null {
  try {
    parse();
    return null;
  } catch (error) {
    return String(error);
  }
}
