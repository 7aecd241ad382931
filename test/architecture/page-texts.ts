/** The rule that texts of pages come from the catalogue in src/web/texts. */
import type { Rule } from "./rules.ts";
import type { Node, Source } from "./sources.ts";

/** Attributes and properties that people read. */
const READ_NAMES =
  /^(aria-label|aria-description|aria-roledescription|aria-valuetext|alt|label|placeholder|title|text|hint|message|about|action|cancel|heading|unavailable)$/;

/** Paths, and keys of the catalogue. */
const NO_PROSE = /^(\/|[a-z]\w*(\.\w+)+$)/;

/** Texts in the sources of pages, in places that people read, that are not from the catalogue. */
export const textsFromCatalogue: Rule = (sources) =>
  sources
    .filter(({ path }) => path.startsWith("src/web/") && !path.startsWith("src/web/texts/"))
    .flatMap((source) => findTexts(source));

function findTexts({ path, nodes }: Source): string[] {
  const parents = new Map(nodes.map(({ node, parent }) => [node, parent]));
  const found = nodes.flatMap(({ node, line }) => {
    const text = literalText(node);
    if (text === null || !/\p{L}{2}/u.test(text) || NO_PROSE.test(text)) return [];
    return isRead(node, parents) && !isData(node, parents) ? [`${path}:${line} “${text.trim().slice(0, 60)}”`] : [];
  });
  return [...new Set(found)].map((each) => `${each} is not from the catalogue of texts`);
}

function literalText(node: Node): string | null {
  if (node.type === "JSXText" || node.type === "Literal") {
    const value = node["value"];
    return typeof value === "string" ? value : null;
  }
  if (node.type !== "TemplateLiteral") return null;
  return (node["quasis"] as { value: { raw: string } }[]).map(({ value }) => value.raw).join(" ");
}

type Parents = ReadonlyMap<Node, Node | undefined>;

/** Returns true for content of elements, and for values of attributes and properties that people read. */
function isRead(node: Node, parents: Parents): boolean {
  if (node.type === "JSXText") return true;
  let child = node;
  let parent = parents.get(node);
  // The text may be one of several: `isNew ? "Add" : "Change"`, `name ?? "None"`.
  while (parent && isChoice(parent, child)) [child, parent] = [parent, parents.get(parent)];
  if (!parent) return false;
  const grandparent = parents.get(parent);
  switch (parent.type) {
    case "JSXExpressionContainer":
      return grandparent?.type === "JSXAttribute" ? READ_NAMES.test(nameOf(grandparent["name"])) : true;
    case "JSXAttribute":
      return READ_NAMES.test(nameOf(parent["name"]));
    case "Property":
      return parent["value"] === child && READ_NAMES.test(keyOf(parent["key"]));
    case "AssignmentExpression":
      return (
        parent["right"] === child &&
        /^(textContent|title|placeholder|ariaLabel)$/.test(nameOf((parent["left"] as Node)["property"]))
      );
    case "CallExpression":
      return isReadArgument(parent, child);
    default:
      return false;
  }
}

function isChoice(parent: Node, child: Node): boolean {
  if (parent.type === "ConditionalExpression") return parent["test"] !== child;
  return parent.type === "LogicalExpression";
}

/** Content of `h(tag, attributes, …content)`, and texts of the functions that show them. */
function isReadArgument(call: Node, argument: Node): boolean {
  const callee = call["callee"] as Node;
  const name = nameOf(callee) || nameOf(callee["property"]);
  const index = (call["arguments"] as Node[]).indexOf(argument);
  if (name === "h") return index >= 2;
  if (name === "setAttribute")
    return index === 1 && READ_NAMES.test(String((call["arguments"] as Node[])[0]?.["value"]));
  if (name === "replaceChildren" || name === "append") return nameOf(callee) !== "" && index >= 1;
  return (
    index === 0 &&
    /^(showToast|showUndoToast|inputField|selectField|copyButton|openSidePanel|confirmDiscard)$/.test(name)
  );
}

/** Returns true inside of elements with `translate="no"`, and in errors, which are for developers. */
function isData(node: Node, parents: Parents): boolean {
  for (let at = parents.get(node); at; at = parents.get(at)) {
    if (at.type === "JSXElement" && hasNoTranslation(at)) return true;
    if (at.type === "ObjectExpression" && isUntranslated(at)) return true;
    if (at.type === "CallExpression" && isUntranslated((at["arguments"] as Node[])[1])) return true;
    if (at.type === "NewExpression" && nameOf(at["callee"]) === "Error") return true;
  }
  return false;
}

const hasNoTranslation = (element: Node): boolean =>
  ((element["openingElement"] as Node)["attributes"] as Node[]).some(
    (attribute) => nameOf(attribute["name"]) === "translate" && (attribute["value"] as Node)["value"] === "no",
  );

/** Attributes with `translate: "no"`. */
const isUntranslated = (attributes: Node | undefined): boolean =>
  attributes?.type === "ObjectExpression" &&
  (attributes["properties"] as Node[]).some((each) => keyOf(each["key"]) === "translate");

function nameOf(value: unknown): string {
  const name = (value as Node | null | undefined)?.["name"];
  return typeof name === "string" ? name : "";
}

function keyOf(value: unknown): string {
  const text = (value as Node | null | undefined)?.["value"];
  return typeof text === "string" ? text : nameOf(value);
}
