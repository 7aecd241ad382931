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

function renderCurl({ method, path, body, file }: Example, address: string): string {
  const words = [
    method === "GET" ? "curl" : `curl -X ${method}`,
    '-H "Authorization: Bearer $KEY"',
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"', `-d ${quoteForShell(JSON.stringify(body))}`]),
    ...(file === undefined ? [] : [`-o ${quoteForShell(file)}`]),
    quoteForShell(address + path),
  ];
  return words.join(" \\\n  ");
}

function renderJavascript({ method, path, body, file }: Example, address: string): string {
  const type = body === undefined ? "" : ', "Content-Type": "application/json"';
  return [
    'const KEY = "YOUR_KEY";',
    `const response = await fetch(${JSON.stringify(address + path)}, {`,
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    `  headers: { Authorization: \`Bearer \${KEY}\`${type} },`,
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(JSON.stringify(body, null, 2))}),`]),
    "});",
    "if (!response.ok) throw new Error(await response.text());",
    file === undefined ? "console.dir(await response.json(), { depth: null });" : "console.log(await response.text());",
  ].join("\n");
}

function renderPython({ method, path, body, file }: Example, address: string): string {
  const type = body === undefined ? "" : ', "Content-Type": "application/json"';
  const readExpression = file === undefined ? "json.load(answer)" : "answer.read().decode()";
  return [
    file === undefined ? "import json" : "",
    "import urllib.request",
    "",
    'KEY = "YOUR_KEY"',
    "request = urllib.request.Request(",
    `    ${pythonText(address + path)},`,
    `    method="${method}",`,
    `    headers={"Authorization": f"Bearer {KEY}"${type}},`,
    ...(body === undefined ? [] : [`    data=json.dumps(${indented(pythonValue(body), 4)}).encode(),`]),
    ")",
    "with urllib.request.urlopen(request) as answer:",
    `    print(${readExpression})`,
  ]
    .join("\n")
    .trimStart();
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
