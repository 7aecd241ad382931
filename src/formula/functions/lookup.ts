import { readAttribute } from "../runtime/classes/attributes.ts";
import { currentContext } from "../runtime/evaluation-context.ts";
import { typeError } from "../runtime/errors.ts";
import { defineFunction } from "../runtime/signature.ts";
import { type Keywords, PyFunction, PyObject, pyStr, type PyValue, typeName } from "../runtime/values.ts";
import { NO_MATCH_EMPTY, PyContains } from "./contains.ts";
import { RECORD_FUNCTIONS } from "./records.ts";

/** Functions that read other cells. Look-ups are delegated to the table. */
export const LOOKUP_FUNCTIONS: readonly PyFunction[] = [
  /** CONTAINS(value, match_empty=…): for look-ups in list columns. */
  defineFunction(
    "CONTAINS",
    { required: ["value"], optional: [["match_empty", NO_MATCH_EMPTY]] },
    ([value = null, matchEmpty = null]) => {
      // An empty cell counts as this element, which must be hashable.
      if (matchEmpty instanceof PyObject && matchEmpty.hashKey() === undefined) {
        throw typeError(`match_empty must be hashable, not '${typeName(matchEmpty)}'`);
      }
      return new PyContains(value, matchEmpty);
    },
  ),
  /** SELF_HYPERLINK(label=None, page=None, LinkKey_X=…): the URL of the document, with its page and link keys. */
  new PyFunction("SELF_HYPERLINK", selfHyperlink),
  ...RECORD_FUNCTIONS,
  /** VLOOKUP(table, Column=value, …): the first record that satisfies all conditions. */
  new PyFunction("VLOOKUP", ([table, ...others], keywords) => {
    if (table === undefined || others.length > 0) throw typeError("VLOOKUP() takes a table and conditions by name");
    const lookUp = readAttribute(table, "lookupOne");
    return lookUp instanceof PyFunction ? lookUp.call([], keywords) : lookUp;
  }),
];

const LINK_KEY = "LinkKey_";

function selfHyperlink(positional: readonly PyValue[], keywords: Keywords): PyValue {
  if (positional.length > 2) throw typeError("SELF_HYPERLINK() takes at most 2 positional arguments");
  const unknown = [...keywords.keys()].find(
    (name) => name !== "label" && name !== "page" && !name.startsWith(LINK_KEY),
  );
  if (unknown !== undefined) throw typeError(`unexpected keyword argument '${unknown}'`);
  const [label = keywords.get("label") ?? null, page = keywords.get("page") ?? null] = positional;
  const { documentUrl, onClockRead } = currentContext();
  // The URL differs between copies of a document, so the result is volatile like the time.
  onClockRead?.();
  if (documentUrl === undefined) return null;
  const keys = [...keywords].filter(([name]) => name.startsWith(LINK_KEY));
  const query = keys.map(([name, value]) => `${name.slice(LINK_KEY.length)}_=${encodeURIComponent(pyStr(value))}`);
  const url =
    documentUrl + (page === null ? "" : `/p/${pyStr(page)}`) + (query.length > 0 ? `?${query.join("&")}` : "");
  return label === null ? url : `${pyStr(label)} ${url}`;
}
