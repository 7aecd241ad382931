import { readAttribute } from "../runtime/classes/attributes.ts";
import { spendBytes, spendSteps } from "../runtime/budget.ts";
import { encodeText } from "../runtime/text/bytes.ts";
import { REPR_CONVERSIONS } from "../runtime/text/repr-conversions.ts";
import type { Method } from "../runtime/classes/descriptors.ts";
import { PyDict } from "../runtime/collections/dicts.ts";
import { PyError, typeError, valueError } from "../runtime/errors.ts";
import { formatValue } from "../runtime/text/format.ts";
import { requireInt, requireText } from "../runtime/signature.ts";
import { readIndex } from "../runtime/collections/slices.ts";
import { codePoints } from "../runtime/text/text.ts";
import { PyObject, pyStr, type PyValue } from "../runtime/values.ts";

/** String methods that need other modules, such as formatting. */
export const FORMAT_METHODS: ReadonlyMap<string, Method<string>> = new Map<string, Method<string>>([
  [
    "format",
    {
      signature: { rest: true, anyKeywords: true },
      body(self, [named = null, ...positional]) {
        return new FormatTemplate(positional, named).write(self, 2);
      },
    },
  ],
  [
    "format_map",
    {
      signature: { required: ["mapping"] },
      body: (self, [named = null]) => new FormatTemplate([], named).write(self, 2),
    },
  ],
  [
    "encode",
    {
      signature: {
        optional: [
          ["encoding", "utf-8"],
          ["errors", "strict"],
        ],
      },
      body: (self, [encoding, errors]) => encodeText(self, requireText(encoding), requireText(errors)),
    },
  ],
  ["translate", { signature: { required: ["table"] }, body: (self, [table = null]) => translate(self, table) }],
  [
    "expandtabs",
    { signature: { optional: [["tabsize", 8n]] }, body: (self, [size]) => expandTabs(self, Number(requireInt(size))) },
  ],
  ["casefold", { signature: {}, body: (self) => foldCase(self) }],
  ["isprintable", { signature: {}, body: (self) => !/[^\P{C}]|[^\P{Z} ]/u.test(self) }],
]);

/** Fills the fields of `'{} {name!r:>5}'`. */
class FormatTemplate {
  readonly #positional: readonly PyValue[];
  readonly #named: PyValue;
  /** The number of automatically numbered fields; -1 once a field was numbered explicitly. */
  #nextPosition = 0;

  constructor(positional: readonly PyValue[], named: PyValue) {
    this.#positional = positional;
    this.#named = named;
  }

  /** Format specs may contain fields, up to `depth` - 1 levels deep. */
  write(text: string, depth: number): string {
    if (depth === 0) throw valueError("Max string recursion exceeded");
    let result = "";
    let at = 0;
    while (at < text.length) {
      spendSteps(10);
      const brace = text.slice(at).search(/[{}]/);
      if (brace < 0) return result + text.slice(at);
      result += text.slice(at, at + brace);
      at += brace;
      if (text[at] === text[at + 1]) {
        result += text.charAt(at);
        at += 2;
      } else if (text[at] === "}") throw valueError("Single '}' encountered in format string");
      else {
        const end = endOfField(text, at);
        result += this.#writeField(text.slice(at + 1, end), depth);
        at = end + 1;
      }
      spendBytes(result.length / 16);
    }
    return result;
  }

  #writeField(field: string, depth: number): string {
    const [, name = "", conversion, spec = ""] =
      /^((?:[^:![]|\[[^\]]*\])*)(?:!([^:]*))?(?::([^]*))?$/.exec(field) ?? [];
    const value = this.#read(name);
    const convert = conversion === undefined ? undefined : REPR_CONVERSIONS.get(conversion);
    if (conversion !== undefined && !convert) throw valueError(`Unknown conversion specifier '${conversion}'`);
    const format = this.write(spec, spec.includes("{") ? depth - 1 : depth);
    return formatValue(convert ? convert(value) : value, format);
  }

  #read(name: string): PyValue {
    const [, first = "", rest = ""] = /^([^.[]*)([^]*)$/.exec(name) ?? [];
    let value = this.#argument(first);
    for (const [whole, attribute, index] of rest.matchAll(/\.([^.[]*)|\[([^\]]*)\]|[^]/g)) {
      if (attribute) value = readAttribute(value, attribute);
      else if (index) value = readIndex(value, /^\d+$/.test(index) ? BigInt(index) : index);
      else throw valueError(whole.length > 1 ? "Empty attribute in format string" : "Only '.' or '[' may follow ']'");
    }
    return value;
  }

  #argument(name: string): PyValue {
    if (name !== "" && !/^\d+$/.test(name)) return this.#byName(name);
    if (name !== "" && this.#nextPosition > 0) {
      throw valueError("cannot switch from automatic field numbering to manual field specification");
    }
    if (name === "" && this.#nextPosition < 0) {
      throw valueError("cannot switch from manual field specification to automatic field numbering");
    }
    const index = name === "" ? this.#nextPosition : Number(name);
    this.#nextPosition = name === "" ? this.#nextPosition + 1 : -1;
    const value = this.#positional[index];
    if (value === undefined) {
      throw new PyError("IndexError", `Replacement index ${index} out of range for positional args tuple`);
    }
    return value;
  }

  #byName(name: string): PyValue {
    const value = this.#named instanceof PyObject ? this.#named.getItem(name) : undefined;
    if (value === undefined) throw typeError("format_map() needs a mapping");
    return value;
  }
}

function endOfField(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === "{") depth++;
    else if (text[at] === "}" && --depth === 0) return at;
  }
  throw valueError(
    text.length === start + 1 ? "Single '{' encountered in format string" : "expected '}' before end of string",
  );
}

/** Implements `str.maketrans(…)`: returns a dict of code points. */
export function makeTranslation([from = null, to, dropped = ""]: readonly PyValue[]): PyDict {
  if (to === undefined) {
    if (!(from instanceof PyDict)) throw typeError("if you give only one argument to maketrans it must be a dict");
    return PyDict.of(
      from.entries().map(([key, value]) => [typeof key === "string" ? codeOf(key) : key, value] as const),
    );
  }
  const [keys, values] = [codePoints(requireText(from)), codePoints(requireText(to))];
  if (keys.length !== values.length) throw valueError("the first two maketrans arguments must have equal length");
  const table = PyDict.of(keys.map((key, index) => [codeOf(key), codeOf(values[index] ?? "")] as const));
  for (const character of codePoints(requireText(dropped))) table.set(codeOf(character), null);
  return table;
}

const codeOf = (character: string): bigint => BigInt(character.codePointAt(0) ?? 0);

/** Returns the table's entry for a character; undefined if it has none. */
function translationFor(table: PyObject, code: bigint): PyValue | undefined {
  if (table instanceof PyDict) return table.get(code) ?? (table.has(code) ? null : undefined);
  try {
    return readIndex(table, code);
  } catch (error) {
    if (error instanceof PyError && /^(?:IndexError|KeyError)$/.test(error.typeName)) return undefined;
    throw error;
  }
}

function translate(text: string, table: PyValue): string {
  if (!(table instanceof PyObject)) throw typeError("'NoneType' object is not subscriptable");
  const parts = codePoints(text).map((character) => {
    const value = translationFor(table, codeOf(character));
    if (value === undefined) return character;
    if (value === null) return "";
    return typeof value === "bigint" ? String.fromCodePoint(Number(value)) : pyStr(value);
  });
  for (const part of parts) spendBytes(part.length * 2);
  return parts.join("");
}

/** `text.expandtabs(size)` */
export function expandTabs(text: string, size: number): string {
  let column = 0;
  let result = "";
  for (const character of text) {
    if (character === "\t") {
      const count = size > 0 ? size - (column % size) : 0;
      spendBytes(count * 2 + 2);
      result += " ".repeat(count);
      column += count;
    } else {
      result += character;
      column = character === "\n" || character === "\r" ? 0 : column + 1;
    }
  }
  return result;
}

/** The dotless i, which is not a variant of another letter, and Cherokee, which folds to upper case. */
const NOT_CASE_FOLDED = /[\u0131\u13a0-\u13f5]/;

function foldCase(text: string): string {
  spendBytes(text.length * 6);
  // Upper-casing and then lower-casing gives the common form of all variants.
  const folded = Array.from(text, (character) =>
    NOT_CASE_FOLDED.test(character) ? character : character.toUpperCase().toLowerCase(),
  );
  return folded.join("").replaceAll("ς", "σ");
}
