/** Examples in several languages, each a complete program except for the key. */
import { quoteForShell } from "../../base/curl.ts";
import type { Example } from "./examples.ts";

export interface Language {
  readonly id: "curl" | "javascript" | "python";
  readonly name: string;
  /** @param address URL of the document in the API */
  readonly render: (example: Example, address: string) => string;
}

export const LANGUAGES: readonly Language[] = [
  { id: "curl", name: "curl", render: renderCurl },
  { id: "javascript", name: "JavaScript", render: renderJavascript },
  { id: "python", name: "Python", render: renderPython },
];

function renderCurl(example: Example, address: string): string {
  const { method, path, body, lines, file } = example;
  const words = [
    method === "GET" ? "curl" : `curl -X ${method}`,
    '-H "Authorization: Bearer $KEY"',
    ...Object.entries(headersOf(example)).map(([name, value]) => `-H "${name}: ${value}"`),
    ...(body === undefined ? [] : [`-d ${quoteForShell(JSON.stringify(body))}`]),
    ...(lines === undefined
      ? []
      : [`--data-binary ${quoteForShell(lines.map((line) => JSON.stringify(line)).join("\n"))}`]),
    ...(file === undefined ? [] : [`-o ${quoteForShell(file)}`]),
    quoteForShell(address + path),
  ];
  return words.join(" \\\n  ");
}

function renderJavascript(example: Example, address: string): string {
  const { method, path, body, lines, file } = example;
  const headers = Object.entries(headersOf(example)).map(([name, value]) => `, "${name}": "${value}"`);
  return [
    'const KEY = "YOUR_KEY";',
    `const response = await fetch(${JSON.stringify(address + path)}, {`,
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    `  headers: { Authorization: \`Bearer \${KEY}\`${headers.join("")} },`,
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(JSON.stringify(body, null, 2))}),`]),
    ...(lines === undefined
      ? []
      : [`  body: ${indented(JSON.stringify(lines, null, 2))}.map((line) => JSON.stringify(line)).join("\\n"),`]),
    "});",
    "if (!response.ok) throw new Error(await response.text());",
    file === undefined ? "console.dir(await response.json(), { depth: null });" : "console.log(await response.text());",
  ].join("\n");
}

function renderPython(example: Example, address: string): string {
  const { method, path, body, lines, file } = example;
  const headers = Object.entries(headersOf(example)).map(([name, value]) => `, "${name}": "${value}"`);
  const readExpression = file === undefined ? "json.load(answer)" : "answer.read().decode()";
  return [
    file === undefined || lines !== undefined ? "import json" : "",
    "import urllib.request",
    "",
    'KEY = "YOUR_KEY"',
    "request = urllib.request.Request(",
    `    ${pythonText(address + path)},`,
    `    method="${method}",`,
    `    headers={"Authorization": f"Bearer {KEY}"${headers.join("")}},`,
    ...(body === undefined ? [] : [`    data=json.dumps(${indented(pythonValue(body), 4)}).encode(),`]),
    ...(lines === undefined
      ? []
      : [`    data="\\n".join(json.dumps(line) for line in ${indented(pythonValue(lines), 4)}).encode(),`]),
    ")",
    "with urllib.request.urlopen(request) as answer:",
    `    print(${readExpression})`,
  ]
    .join("\n")
    .trimStart();
}

/** Returns the headers beyond that of the key; their values need no quoting in any language. */
function headersOf({ body, lines, headers }: Example): Record<string, string> {
  const isBodyless = body === undefined && lines === undefined;
  const type = lines === undefined ? "application/json" : "application/x-ndjson";
  return { ...(!isBodyless && { "Content-Type": type }), ...headers };
}

/** Indents all lines but the first. */
const indented = (text: string, by = 2): string => text.replaceAll("\n", `\n${" ".repeat(by)}`);

/** JSON escapes are valid in Python, except for surrogate pairs, which are written unescaped. */
const pythonText = (text: string): string => JSON.stringify(text);

/** Formats plain data as a Python literal. */
function pythonValue(value: unknown, indent = 0): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return pythonText(value);
  if (typeof value !== "object") return JSON.stringify(value);
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((part) => pythonValue(part, indent + 4))
    : Object.entries(value).map(([name, part]) => `${pythonText(name)}: ${pythonValue(part, indent + 4)}`);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  const line = `${open}${parts.join(", ")}${close}`;
  const isShort = line.length + indent < 72 && !line.includes("\n");
  const inner = " ".repeat(indent + 4);
  return isShort ? line : `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${" ".repeat(indent)}${close}`;
}
