/** The architecture rules, each a function from the sources to descriptions of violations. */
import { dirname, join } from "node:path";
import type { Import, Node, Source } from "./sources.ts";

export type Rule = (sources: readonly Source[]) => string[];

/**
 * The parts that each part may import besides itself and packages. Parts are the folders and single files of `src/`.
 */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  errors: ["lib"],
  config: ["errors", "lib"],
  authorization: ["lib"],
  payload: ["errors", "lib"],
  wire: ["lib"],
  values: ["errors", "lib"],
  // Runs in programs of users: nothing of it is the server's, and no part of the server imports it.
  sdk: ["errors"],
  formula: ["values", "errors", "lib"],
  sqlite: ["errors", "lib"],
  cluster: ["sqlite", "errors", "lib"],
  files: ["values", "errors", "lib"],
  exchange: ["values", "errors", "lib"],
  sql: ["errors", "lib"],
  home: ["sqlite", "authorization", "errors", "lib"],
  doc: ["sqlite", "values", "formula", "exchange", "files", "authorization", "errors", "lib"],
  hosts: ["doc", "exchange", "wire", "payload", "authorization", "errors", "lib"],
  webhooks: ["home", "hosts", "authorization", "errors", "lib"],
  backup: ["home", "hosts", "cluster", "files", "sqlite", "errors", "lib"],
  upgrade: ["home", "hosts", "errors", "lib"],
  services: [
    "home",
    "hosts",
    "sql",
    "webhooks",
    "backup",
    "files",
    "exchange",
    "wire",
    "values",
    "authorization",
    "errors",
    "lib",
  ],
  mcp: ["errors", "lib"],
  http: ["mcp", "services", "wire", "payload", "authorization", "errors", "config", "lib"],
  web: ["services", "wire", "values", "authorization", "errors", "config", "lib"],
  composition: "services backup cluster hosts home files sqlite doc config errors lib".split(" "),
  app: "composition http web services webhooks backup cluster hosts home sql files exchange sqlite wire config authorization errors lib".split(
    " ",
  ),
  commands: [
    "app",
    "composition",
    "backup",
    "cluster",
    "upgrade",
    "home",
    "services",
    "hosts",
    "mcp",
    "config",
    "authorization",
    "errors",
    "lib",
  ],
  main: ["commands", "config", "sql", "lib"],
};

/** Type-only imports among these: the runtime values belong to HTTP, and to the server. */
const TYPES_ONLY: readonly (readonly [from: string, to: string])[] = [
  ["services", "wire"],
  ["sdk", "errors"],
];

/** Entry points of the executable: the only files that read the command line or end the process. */
const ENTRIES = ["src/main.ts", "src/sql/watchdog.ts"];
const STORES = ["sqlite", "home", "doc", "sql"];
const STORE_PACKAGES = /^(bun:sqlite|node:sqlite|sqlite|drizzle-orm(\/.*)?)$/;
/** May exceed the maximum file size: a language is one file, so that translators have all texts in one place. */
const LANGUAGE_FILE = /^src\/web\/texts\/[a-z]{2}(-[a-z]+)?\.ts$/;
const MAX_LINES = 400;

/** `src/http/routes/orgs.ts` → `http`, `src/errors.ts` → `errors`. */
const partOf = (path: string): string => path.split("/")[1]?.replace(/\.tsx?$/, "") ?? "";

/** Resolves the file of a relative import. */
const targetOf = (source: Source, { from }: Import): string => join(dirname(source.path), from);
const isRelative = ({ from }: Import): boolean => from.startsWith(".");
const placeOf = (source: Source, line: number): string => `${source.path}:${line}`;

/** Checks the import table, including type imports. */
export const importTable: Rule = (sources) =>
  sources.flatMap((source) =>
    source.imports.filter(isRelative).flatMap((one) => {
      const from = partOf(source.path);
      const target = targetOf(source, one);
      const to = partOf(target);
      const place = placeOf(source, one.line);
      // The manifest and other files outside of src/ belong to no part.
      if (!target.startsWith("src/")) return [`${place} imports ${one.from}, outside src/`];
      if (from === to) return [];
      if (!MAY_IMPORT[from]?.includes(to)) return [`${place}: ${from} may not import ${to}`];
      const types = TYPES_ONLY.some(([a, b]) => a === from && b === to);
      return types && !one.typesOnly ? [`${place}: ${from} may import only types of ${to}`] : [];
    }),
  );

/** Imports are relative with the file's extension, or name a package; none is computed. */
export const plainImports: Rule = (sources) =>
  sources.flatMap((source) =>
    source.imports
      .filter((one) => one.from === "(computed)" || one.from.startsWith("/") || (isRelative(one) && !hasEnding(one)))
      .map(({ from, line }) => `${placeOf(source, line)}: write the import of ${from} as a path with its ending`),
  );

const hasEnding = ({ from }: Import): boolean => /\/[^/]+\.[a-z]+$/.test(from);

/** The client has no dependencies. */
export const clientWithoutPackages: Rule = (sources) =>
  importsOutside(
    sources.filter(({ path }) => partOf(path) === "sdk"),
    [],
    /^[^.]/,
  );

/** No file imports itself, directly or indirectly. */
export const noCycles: Rule = (sources) => {
  const next = new Map(
    sources.map((source) => [source.path, source.imports.filter(isRelative).map((one) => targetOf(source, one))]),
  );
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, above: readonly string[]) => {
    const at = above.indexOf(path);
    if (at >= 0) cycles.push(`cycle: ${[...above.slice(at), path].join(" → ")}`);
    if (at >= 0 || done.has(path)) return;
    for (const target of next.get(path) ?? []) visit(target, [...above, path]);
    done.add(path);
  };
  for (const path of next.keys()) visit(path, []);
  return cycles;
};

/** No file exceeds the maximum number of lines. */
export const fileSizes: Rule = (sources) =>
  sources
    .filter(({ path, lines }) => lines > MAX_LINES && !LANGUAGE_FILE.test(path))
    .map(({ path, lines }) => `${path} has ${lines} lines; the maximum is ${MAX_LINES}`);

/** Files and folders have lower-case names with dashes. */
export const kebabCase = (paths: readonly string[]): string[] =>
  paths
    .filter((path) => !path.split("/").every((name) => /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/.test(name)))
    .map((path) => `${path} is not kebab-case`);

/** Only the entry files read the command line and the environment, and end the process. */
export const processConfined: Rule = (sources) =>
  nodesOutside(sources, ENTRIES, (node, parent) => {
    const member = memberOf(node);
    if (/^(process|Bun)\.(env|argv|execArgv|exit|exitCode|abort|kill|reallyExit)$/.test(member)) return member;
    if (member === "import.meta.env") return member;
    // Passing `process` on as a whole would hide its uses: `const { env } = process`.
    const isWhole = node.type === "Identifier" && node["name"] === "process" && !isNamed(node, parent);
    return isWhole ? "process as a whole" : undefined;
  }).concat(importsOutside(sources, ENTRIES, /^(node:)?process$/));

/** Standard streams are accessed only through the streams that main.ts passes to the commands. */
export const outputConfined: Rule = (sources) =>
  nodesOutside(sources, ENTRIES, (node, parent) => {
    const member = memberOf(node);
    if (/^(process|Bun)\.(stdout|stderr|stdin)$/.test(member)) return member;
    return node.type === "Identifier" && node["name"] === "console" && !isKey(node, parent) ? "console" : undefined;
  }).concat(importsOutside(sources, [], /^(node:)?console$/));

/**
 * Files that create timers, and the parsers whose listeners run synchronously within a call that must receive their
 * errors.
 */
const BARE_CALLBACKS = ["src/lib/time/timers.ts", "src/exchange/xlsx/xml-reader.ts"];
const TIMERS = /^(setTimeout|setInterval|setImmediate|queueMicrotask)$/;
const LISTENS = /^(on|once|addListener|prependListener|addEventListener)$/;

/**
 * Callbacks of timers and listeners must catch their errors: they are wrapped by `guarded`, or created by
 * `lib/time/timers.ts`.
 */
export const callbacksGuarded: Rule = (sources) =>
  sources
    .filter(
      ({ path }) => !BARE_CALLBACKS.includes(path) && !/^src\/(web\/(base|pages\/[^/]+)\/client|sdk)\//.test(path),
    )
    .flatMap((source) => {
      const names = new Set(source.nodes.flatMap(({ node }) => (isGuarded(node["init"]) ? [nameOf(node["id"])] : [])));
      return source.nodes.flatMap(({ node, parent, line }) => {
        const place = placeOf(source, line);
        if (node.type === "Identifier" && TIMERS.test(nameOf(node)) && !isKey(node, parent)) {
          return [`${place} uses ${nameOf(node)}: take lib/time/timers.ts`];
        }
        const listener = listenerOf(node);
        const isSafe = listener === undefined || isGuarded(listener) || names.has(nameOf(listener));
        return isSafe ? [] : [`${place} listens without guarded() of lib/callbacks.ts`];
      });
    });

/** Returns the function in `x.on("event", function)`; undefined for an `on` without an event name. */
function listenerOf(node: Node): Node | undefined {
  if (node.type !== "CallExpression") return undefined;
  const callee = node["callee"] as Node;
  const [event, listener] = node["arguments"] as Node[];
  if (callee.type !== "MemberExpression" || !LISTENS.test(nameOf(callee["property"]))) return undefined;
  return event && /^(Literal|Identifier|TemplateLiteral)$/.test(event.type) ? listener : undefined;
}

const isGuarded = (value: unknown): boolean => {
  const node = value as Node | null | undefined;
  return node?.type === "CallExpression" && nameOf(node["callee"]) === "guarded";
};

function nameOf(value: unknown): string {
  const name = (value as Node | null | undefined)?.["name"];
  return typeof name === "string" ? name : "";
}

/**
 * Keys of page texts are literals: the bundler gives each script the texts whose keys it contains, and cannot find
 * keys that are put together.
 */
export const textKeysLiteral: Rule = (sources) =>
  nodesOutside(
    sources.filter(({ path }) => path.startsWith("src/web/")),
    [],
    (node) => {
      if (node.type === "TSAsExpression") {
        const name = typeNameOf(node["typeAnnotation"] as Node);
        const isComposed = name === "const" && isComputedText(node["expression"]);
        return /^(Key|PlainKey|LabelKey)$/.test(name) || isComposed ? "a text key that is no literal" : undefined;
      }
      if (node.type !== "CallExpression") return undefined;
      const callee = node["callee"] as Node;
      const isText = nameOf(callee) === "t" || memberOf(callee) === "t.rich" || nameOf(callee["callee"]) === "useTexts";
      return isText && isComputedText((node["arguments"] as Node[])[0]) ? "a text key that is no literal" : undefined;
    },
  );

/** Returns true for texts that are put together, and for casts and calls that could hide it. */
function isComputedText(value: unknown): boolean {
  const node = value as Node | undefined;
  if (node?.type === "ConditionalExpression")
    return isComputedText(node["consequent"]) || isComputedText(node["alternate"]);
  if (node?.type === "TemplateLiteral") return (node["expressions"] as unknown[]).length > 0;
  return /^(BinaryExpression|TSAsExpression|CallExpression)$/.test(node?.type ?? "");
}

/** SQLite is imported only by the stores. */
export const storesConfined: Rule = (sources) =>
  importsOutside(
    sources,
    sources.filter(({ path }) => STORES.includes(partOf(path))).map(({ path }) => path),
    STORE_PACKAGES,
  );

/** Only the guards create grants, so that a grant proves that the check was made. */
export const grantsConfined: Rule = (sources) =>
  nodesOutside(sources, ["src/authorization.ts", "src/services/access/guards.ts"], (node, parent) => {
    if (node.type === "Identifier" && node["name"] === "grantChecked" && !isKey(node, parent)) return "grantChecked";
    if (node.type !== "TSAsExpression" && node.type !== "TSTypeAssertion") return undefined;
    const name = typeNameOf(node["typeAnnotation"] as Node);
    return /^[A-Z]\w*Grant$/.test(name) ? `a cast to ${name}` : undefined;
  });

function importsOutside(sources: readonly Source[], allowed: readonly string[], packages: RegExp): string[] {
  return sources
    .filter(({ path }) => !allowed.includes(path))
    .flatMap((source) =>
      source.imports
        .filter(({ from }) => packages.test(from))
        .map(({ from, line }) => `${placeOf(source, line)} imports ${from}`),
    );
}

function nodesOutside(
  sources: readonly Source[],
  allowed: readonly string[],
  find: (node: Node, parent: Node | undefined) => string | undefined,
): string[] {
  return sources
    .filter(({ path }) => !allowed.includes(path))
    .flatMap((source) =>
      source.nodes.flatMap(({ node, parent, line }) => {
        const found = find(node, parent);
        return found ? [`${placeOf(source, line)} uses ${found}`] : [];
      }),
    );
}

/**
 * Returns `process.env` for this and for `process["env"]`, `process?.env`, `globalThis.process.env`; empty for other
 * nodes.
 */
function memberOf(node: Node): string {
  if (node.type !== "MemberExpression") return "";
  const object = node["object"] as Node;
  const property = node["property"] as Node;
  const name = node["computed"] ? property["value"] : property["name"];
  if (object.type === "MetaProperty") return `import.meta.${String(name)}`;
  const owner = object.type === "MemberExpression" ? memberOf(object).replace(/^globalThis\./, "") : object["name"];
  return `${String(owner)}.${String(name)}`;
}

/** Returns true for the `process` of `process.pid`, and for a property name of another object. */
function isNamed(node: Node, parent: Node | undefined): boolean {
  const isObject = parent?.type === "MemberExpression" && parent["object"] === node;
  return isObject ? parent["computed"] !== true || isText(parent["property"]) : isKey(node, parent);
}

const isText = (node: unknown): boolean => typeof (node as Node)["value"] === "string";

/**
 * Returns true for the name in `x.console` and `{ console: 1 }`, which do not use the global; not in
 * `globalThis.console`.
 */
function isKey(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === "MemberExpression") {
    return parent["property"] === node && !parent["computed"] && (parent["object"] as Node)["name"] !== "globalThis";
  }
  const named = parent?.type === "Property" || parent?.type.startsWith("TSPropertySignature");
  return named === true && parent?.["key"] === node && parent["shorthand"] !== true;
}

function typeNameOf(type: Node): string {
  const name = type["typeName"] as Node | undefined;
  return typeof name?.["name"] === "string" ? name["name"] : "";
}
