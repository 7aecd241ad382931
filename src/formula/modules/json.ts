import { spendBytes, spendSteps } from "../runtime/budget.ts";
import { PyBytes } from "../runtime/text/bytes.ts";
import { callWith } from "../runtime/calls.ts";
import { PyDict } from "../runtime/collections/dicts.ts";
import { PyError, typeError, valueError } from "../runtime/errors.ts";
import { exceptionClass } from "../runtime/classes/exceptions.ts";
import { sortValues } from "../runtime/sorting.ts";
import {
  itemsOf,
  PyList,
  PyObject,
  pyRepr,
  PySequence,
  PyTuple,
  type PyValue,
  isTruthy,
  typeName,
} from "../runtime/values.ts";
import { moduleFunction, moduleFunctionWith } from "./module-function.ts";
import { PyModule } from "./module.ts";

interface JsonStyle {
  /** The text of one indentation level; undefined for single-line output. */
  readonly indent: string | undefined;
  readonly item: string;
  readonly key: string;
  readonly ascii: boolean;
  readonly sorted: boolean;
  readonly fallback: PyValue;
  readonly allowsNan: boolean;
  readonly skipsKeys: boolean;
}

/** Serializes values to JSON like Python. */
class JsonWriter {
  readonly #style: JsonStyle;
  readonly #containersInProgress = new Set<PyValue>();

  constructor(style: JsonStyle) {
    this.#style = style;
  }

  write(value: PyValue, level: number): string {
    spendSteps(2);
    if (value === null) return "null";
    if (typeof value === "string") return this.#quote(value);
    if (typeof value === "boolean") return value ? "true" : "false";
    if (typeof value === "number" && !Number.isFinite(value)) {
      if (!this.#style.allowsNan) throw valueError("Out of range float values are not JSON compliant");
      return Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
    }
    if (!(value instanceof PyObject)) return pyRepr(value);
    if (this.#containersInProgress.has(value)) throw valueError("Circular reference detected");
    this.#containersInProgress.add(value);
    const text = this.#writeObject(value, level);
    this.#containersInProgress.delete(value);
    spendBytes(text.length * 2);
    return text;
  }

  #writeObject(value: PyObject, level: number): string {
    if (value instanceof PySequence) {
      return this.#enclose(
        "[]",
        itemsOf(value).map((item) => this.write(item, level + 1)),
        level,
      );
    }
    if (value instanceof PyDict) {
      const all = this.#style.sorted ? sortValues(value.keys(), false) : value.keys();
      const keys = this.#style.skipsKeys ? all.filter((key) => !(key instanceof PyObject)) : all;
      const entries = keys.map((key) => {
        const item = value.get(key) ?? null;
        return this.#quote(keyText(key)) + this.#style.key + this.write(item, level + 1);
      });
      return this.#enclose("{}", entries, level);
    }
    if (this.#style.fallback === null) throw typeError(`Object of type ${typeName(value)} is not JSON serializable`);
    return this.write(callWith(this.#style.fallback, value), level);
  }

  #enclose(brackets: string, parts: readonly string[], level: number): string {
    const [open = "", close = ""] = brackets;
    const { indent, item } = this.#style;
    if (parts.length === 0) return brackets;
    if (indent === undefined) return open + parts.join(item) + close;
    const line = `\n${indent.repeat(level + 1)}`;
    return `${open}${line}${parts.join(item + line)}\n${indent.repeat(level)}${close}`;
  }

  #quote(text: string): string {
    spendBytes(text.length * 2);
    const quoted = JSON.stringify(text).replaceAll("\x7f", "\\u007f");
    const plain = this.#style.ascii ? quoted : quoted.replaceAll("\\u007f", "\x7f");
    if (!this.#style.ascii) return plain;
    return plain.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  }
}

function keyText(key: PyValue): string {
  if (typeof key === "string") return key;
  if (key === null) return "null";
  if (typeof key === "boolean") return key ? "true" : "false";
  if (key instanceof PyObject) throw typeError(`keys must be str, int, float, bool or None, not ${typeName(key)}`);
  return pyRepr(key);
}

function dumps(args: readonly PyValue[]): string {
  const [value = null, indent = null, separators = null, ascii = true, sorted = false, fallback = null] = args;
  const [allowsNan = true, skipsKeys = false] = args.slice(6);
  const space = typeof indent === "bigint" ? " ".repeat(Math.max(0, Math.min(1000, Number(indent)))) : indent;
  const [item, key] = separators === null ? [space === null ? ", " : ",", ": "] : itemsOf(separators).map(String);
  const style: JsonStyle = {
    indent: typeof space === "string" ? space : undefined,
    item: item ?? ", ",
    key: key ?? ": ",
    ascii: isTruthy(ascii),
    sorted: isTruthy(sorted),
    fallback,
    allowsNan: isTruthy(allowsNan),
    skipsKeys: isTruthy(skipsKeys),
  };
  return new JsonWriter(style).write(value, 0);
}

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/y;
// Control characters must be escaped.
const STRING = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/uy;
const SPACE = /[ \t\n\r]*/y;

const LITERALS: ReadonlyMap<string, PyValue> = new Map<string, PyValue>([
  ["null", null],
  ["true", true],
  ["false", false],
  ["NaN", Number.NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
]);

/** Parses JSON to Python values: ints stay exact. */
class JsonParser {
  readonly #text: string;
  readonly #hooks: Hooks;
  #at = 0;

  constructor(text: string, hooks: Hooks) {
    this.#text = text;
    this.#hooks = hooks;
  }

  read(): PyValue {
    const value = this.#value();
    this.#skip();
    if (this.#at < this.#text.length) throw this.#fail("Extra data");
    return value;
  }

  #fail(what: string): PyError {
    const before = this.#text.slice(0, this.#at).split("\n");
    const location = `line ${before.length} column ${(before.at(-1)?.length ?? 0) + 1} (char ${this.#at})`;
    return new PyError("JSONDecodeError", `${what}: ${location}`);
  }

  #matchAt(pattern: RegExp): RegExpExecArray | null {
    const sticky = pattern;
    sticky.lastIndex = this.#at;
    const match = sticky.exec(this.#text);
    if (match) this.#at += match[0].length;
    return match;
  }

  #skip(): void {
    this.#matchAt(SPACE);
  }

  #acceptSign(sign: string): boolean {
    this.#skip();
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  #value(): PyValue {
    spendSteps(4);
    this.#skip();
    const sign = this.#text[this.#at];
    if (sign === "{") return this.#object();
    if (sign === "[") return this.#array();
    if (sign === '"') return this.#string();
    for (const [word, value] of LITERALS) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    const number = this.#matchAt(NUMBER);
    if (!number) throw this.#fail("Expecting value");
    const [whole, fraction, exponent] = number;
    spendSteps(whole.length);
    const isInt = fraction === undefined && exponent === undefined;
    const hook = isInt ? this.#hooks.int : this.#hooks.float;
    if (hook !== null) return callWith(hook, whole);
    return isInt ? BigInt(whole) : Number(whole);
  }

  #string(): string {
    const match = this.#matchAt(STRING);
    if (!match) throw this.#fail("Unterminated string starting at");
    spendBytes(match[0].length * 2);
    return String(JSON.parse(match[0]));
  }

  #array(): PyValue {
    this.#at++;
    const items: PyValue[] = [];
    if (this.#acceptSign("]")) return new PyList(items);
    do {
      spendBytes(16);
      items.push(this.#value());
    } while (this.#acceptSign(","));
    if (!this.#acceptSign("]")) throw this.#fail("Expecting ',' delimiter");
    return new PyList(items);
  }

  #object(): PyValue {
    this.#at++;
    const dict = new PyDict();
    const pairs: PyValue[] = [];
    const finish = (): PyValue => {
      if (this.#hooks.pairs !== null) return callWith(this.#hooks.pairs, new PyList(pairs));
      return this.#hooks.object === null ? dict : callWith(this.#hooks.object, dict);
    };
    if (this.#acceptSign("}")) return finish();
    do {
      this.#skip();
      if (this.#text[this.#at] !== '"') throw this.#fail("Expecting property name enclosed in double quotes");
      const key = this.#string();
      if (!this.#acceptSign(":")) throw this.#fail("Expecting ':' delimiter");
      const value = this.#value();
      dict.set(key, value);
      pairs.push(new PyTuple([key, value]));
    } while (this.#acceptSign(","));
    if (!this.#acceptSign("}")) throw this.#fail("Expecting ',' delimiter");
    return finish();
  }
}

const HOOK_DEFAULTS = { object_hook: null, parse_float: null, parse_int: null, object_pairs_hook: null };

/** Conversions of parsed JSON values; None for no conversion. */
interface Hooks {
  readonly object: PyValue;
  readonly float: PyValue;
  readonly int: PyValue;
  readonly pairs: PyValue;
}

function loads([source = null, object = null, float = null, int = null, pairs = null]: readonly PyValue[]): PyValue {
  const text = source instanceof PyBytes ? source.decodeUtf8() : source;
  if (typeof text !== "string")
    throw typeError(`the JSON object must be str, bytes or bytearray, not ${typeName(source)}`);
  return new JsonParser(text, { object, float, int, pairs }).read();
}

export const JSON_MODULE = new PyModule(
  "json",
  new Map<string, PyValue>([
    moduleFunctionWith(
      "dumps",
      {
        required: ["obj"],
        optional: [
          ["indent", null],
          ["separators", null],
          ["ensure_ascii", true],
          ["sort_keys", false],
          ["default", null],
          ["allow_nan", true],
          ["skipkeys", false],
        ],
        keywordOnly: true,
      },
      dumps,
    ),
    moduleFunction("loads", "s", loads, HOOK_DEFAULTS),
    ["JSONDecodeError", exceptionClass("JSONDecodeError", ["ValueError"], "json.decoder")],
  ]),
  "dump load JSONEncoder JSONDecoder decoder encoder scanner tool",
);
