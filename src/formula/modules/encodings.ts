import { spendBytes, spendSteps } from "../runtime/budget.ts";
import { encodeText, PyBytes } from "../runtime/text/bytes.ts";
import { PyDict } from "../runtime/collections/dicts.ts";
import { PyError, typeError, valueError } from "../runtime/errors.ts";
import { exceptionClass } from "../runtime/classes/exceptions.ts";
import { requireText } from "../runtime/signature.ts";
import {
  itemsOf,
  PyList,
  PyObject,
  PySequence,
  pyStr,
  PyTuple,
  type PyValue,
  isTruthy,
  typeName,
} from "../runtime/values.ts";
import { moduleFunction, moduleFunctionWith } from "./module-function.ts";
import { PyModule } from "./module.ts";

/** Returns an argument that must be bytes; with `texts`, ASCII strings are accepted too. */
function requireBytes(value: PyValue | undefined, texts = false): PyBytes {
  if (value instanceof PyBytes) return value;
  if (texts && typeof value === "string") return encodeText(value, "ascii", "strict");
  throw typeError(`a bytes-like object is required, not '${typeName(value ?? null)}'`);
}

const toBase64 = (bytes: PyBytes): string => Buffer.from(bytes.toArray()).toString("base64");

function fromBase64(value: PyValue | undefined): PyBytes {
  const text = requireBytes(value, true).text.replaceAll(/[^A-Za-z\d+/=]/g, "");
  const digits = text.replace(/=.*$/, "");
  const padding = text.length - digits.length;
  if (digits.length % 4 === 1) throw new PyError("Error", "Invalid base64-encoded string");
  if ((digits.length + padding) % 4 !== 0 && padding < 4 - (digits.length % 4)) {
    if (digits.length % 4 !== 0) throw new PyError("Error", "Incorrect padding");
  }
  return PyBytes.fromArray(Buffer.from(digits, "base64"));
}

const swap = (text: string, from: string, to: string): string =>
  text.replaceAll(from.charAt(0), to.charAt(0)).replaceAll(from.charAt(1), to.charAt(1));

export const BASE64_MODULE = new PyModule(
  "base64",
  new Map<string, PyValue>([
    moduleFunction("b64encode", "s", ([value]) => new PyBytes(toBase64(requireBytes(value)))),
    moduleFunction("standard_b64encode", "s", ([value]) => new PyBytes(toBase64(requireBytes(value)))),
    moduleFunction("urlsafe_b64encode", "s", ([value]) => new PyBytes(swap(toBase64(requireBytes(value)), "+/", "-_"))),
    moduleFunction("b64decode", "s", ([value]) => fromBase64(value)),
    moduleFunction("standard_b64decode", "s", ([value]) => fromBase64(value)),
    moduleFunction("urlsafe_b64decode", "s", ([value]) =>
      fromBase64(new PyBytes(swap(requireBytes(value, true).text, "-_", "+/"))),
    ),
    moduleFunction("b16decode", "s", ([value]) => {
      const text = requireBytes(value, true).text;
      if (!/^(?:[\dA-F]{2})*$/.test(text)) throw new PyError("Error", "Non-base16 digit found");
      return PyBytes.fromArray(Buffer.from(text, "hex"));
    }),
    moduleFunction("b32encode", "s", ([value]) => new PyBytes(toBase32(requireBytes(value).toArray()))),
    moduleFunction("b32decode", "s", ([value]) => fromBase32(requireBytes(value, true).text)),
    moduleFunction(
      "b16encode",
      "s",
      ([value]) => new PyBytes(Buffer.from(requireBytes(value).toArray()).toString("hex").toUpperCase()),
    ),
  ]),
  "a85decode a85encode b32hexdecode b32hexencode b85decode b85encode decodebytes encodebytes",
);

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

function toBase32(bytes: Uint8Array): string {
  spendBytes(bytes.length * 4);
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  const groups = bits.match(/.{1,5}/g) ?? [];
  const text = groups.map((group) => BASE32.charAt(Number.parseInt(group.padEnd(5, "0"), 2))).join("");
  return text.padEnd(Math.ceil(text.length / 8) * 8, "=");
}

function fromBase32(text: string): PyBytes {
  spendBytes(text.length * 8);
  const [, digits, padding = ""] = /^([A-Z2-7]*)(=*)$/.exec(text) ?? [];
  if (digits === undefined || text.length % 8 !== 0 || ![0, 1, 3, 4, 6].includes(padding.length)) {
    throw new PyError("Error", "Incorrect padding");
  }
  const bits = Array.from(digits, (digit) => BASE32.indexOf(digit).toString(2).padStart(5, "0")).join("");
  const bytes = bits.match(/.{8}/g) ?? [];
  return PyBytes.fromArray(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 2)));
}

const HASHES = {
  md5: "md5",
  sha1: "sha1",
  sha224: "sha224",
  sha256: "sha256",
  sha384: "sha384",
  sha512: "sha512",
  sha3_224: "sha3-224",
  sha3_256: "sha3-256",
  sha3_384: "sha3-384",
  sha3_512: "sha3-512",
} as const;

const BLOCK_SIZES: ReadonlyMap<string, bigint> = new Map([
  ["sha384", 128n],
  ["sha512", 128n],
  ["sha3_224", 144n],
  ["sha3_256", 136n],
  ["sha3_384", 104n],
  ["sha3_512", 72n],
]);

/** An incremental hash object. */
class PyHash extends PyObject {
  readonly typeName = "HASH";
  readonly #name: keyof typeof HASHES;
  #bytes: string;

  constructor(name: keyof typeof HASHES, bytes: string) {
    super();
    this.#name = name;
    this.#bytes = bytes;
  }

  override attribute(name: string): PyValue | undefined {
    switch (name) {
      case "name":
        return this.#name;
      case "block_size":
        return BLOCK_SIZES.get(this.#name) ?? 64n;
      case "digest_size":
        return BigInt(this.#digest().length);
      case "hexdigest":
        return moduleFunction(name, "", () => Buffer.from(this.#digest()).toString("hex"))[1];
      case "digest":
        return moduleFunction(name, "", () => PyBytes.fromArray(this.#digest()))[1];
      case "copy":
        return moduleFunction(name, "", () => new PyHash(this.#name, this.#bytes))[1];
      case "update":
        return moduleFunction(name, "data", ([data]) => {
          const { text } = requireBytes(data);
          spendBytes(this.#bytes.length + text.length);
          this.#bytes += text;
          return null;
        })[1];
      default:
        return undefined;
    }
  }

  #digest(): Uint8Array {
    spendBytes(this.#bytes.length);
    return new Bun.CryptoHasher(HASHES[this.#name]).update(new PyBytes(this.#bytes).toArray()).digest();
  }

  repr(): string {
    return `<${this.#name} _hashlib.HASH object @ 0x7f0000000000>`;
  }
}

export const HASHLIB_MODULE = new PyModule(
  "hashlib",
  new Map<string, PyValue>([
    moduleFunction(
      "new",
      "name",
      ([name, data]) => {
        const known = Object.keys(HASHES).find(
          (hashName) => hashName === requireText(name).toLowerCase().replace("-", "_"),
        );
        if (known === undefined) throw valueError(`unsupported hash type ${requireText(name)}`);
        return new PyHash(known as keyof typeof HASHES, requireBytes(data).text);
      },
      { data: new PyBytes(""), usedforsecurity: true },
    ),
    ...Object.keys(HASHES).map((name) =>
      moduleFunctionWith(
        name,
        {
          optional: [
            ["string", new PyBytes("")],
            ["usedforsecurity", true],
          ],
        },
        ([data]) => new PyHash(name as keyof typeof HASHES, requireBytes(data).text),
      ),
    ),
  ]),
  "blake2b blake2s file_digest pbkdf2_hmac scrypt shake_128 shake_256 algorithms_available algorithms_guaranteed",
);

/** Characters that URL quoting leaves unescaped. */
const UNRESERVED = /^[\w.~-]$/;

function quote(value: PyValue, safe: string, plus = false): string {
  const bytes = typeof value === "string" ? encodeText(value, "utf-8", "strict") : requireBytes(value);
  spendBytes(bytes.text.length * 6);
  spendSteps(bytes.text.length * 8);
  let text = "";
  for (const byte of bytes.text) {
    if (UNRESERVED.test(byte) || (byte < "\x80" && safe.includes(byte))) text += byte;
    else if (plus && byte === " ") text += "+";
    else text += `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return text;
}

function unquote(text: string): string {
  spendBytes(text.length * 4);
  return text.replace(/(?:%[\da-fA-F]{2})+/g, (escaped) => {
    const codes = escaped.slice(1).split("%");
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      Uint8Array.from(codes, (code) => Number.parseInt(code, 16)),
    );
  });
}

function encodeQuery([query = null, sequences = false]: readonly PyValue[]): string {
  const pairs = query instanceof PyDict ? query.entries() : itemsOf(query).map((pair) => itemsOf(pair));
  const write = (value: PyValue) => quote(value instanceof PyBytes ? value : pyStr(value), "", true);
  return pairs
    .flatMap(([key = null, value = null]) => {
      const values = isTruthy(sequences) && value instanceof PySequence ? value.items() : [value];
      return values.map((item) => `${write(key)}=${write(item)}`);
    })
    .join("&");
}

function parsePairs([query, keepBlank = false]: readonly PyValue[]): [string, string][] {
  const text = requireText(query);
  spendBytes(text.length * 4);
  return text
    .split("&")
    .filter((part) => part !== "")
    .map((part): [string, string] => {
      const [key = "", ...rest] = part.split("=");
      return [unquote(key.replaceAll("+", " ")), unquote(rest.join("=").replaceAll("+", " "))];
    })
    .filter(([, value]) => value !== "" || isTruthy(keepBlank));
}

function groupPairs(args: readonly PyValue[]): PyDict {
  const dict = new PyDict();
  for (const [key, value] of parsePairs(args)) {
    const list = dict.get(key);
    if (list instanceof PyList) list.items().push(value);
    else dict.set(key, new PyList([value]));
  }
  return dict;
}

const BLANK = { keep_blank_values: false };

export const URL_MODULE = new PyModule(
  "urllib.parse",
  new Map<string, PyValue>([
    moduleFunction("quote", "string", ([value = null, safe]) => quote(value, requireText(safe)), { safe: "/" }),
    moduleFunction("quote_plus", "string", ([value = null, safe]) => quote(value, requireText(safe), true), {
      safe: "",
    }),
    moduleFunction("unquote", "string", ([value]) => unquote(requireText(value))),
    moduleFunction("unquote_plus", "string", ([value]) => unquote(requireText(value).replaceAll("+", " "))),
    moduleFunction("urlencode", "query", encodeQuery, { doseq: false }),
    moduleFunction("parse_qs", "qs", groupPairs, BLANK),
    moduleFunction("parse_qsl", "qs", (args) => new PyList(parsePairs(args).map((pair) => new PyTuple(pair))), BLANK),
  ]),
  "urlparse urlsplit urlunparse urlunsplit urljoin urldefrag quote_from_bytes unquote_to_bytes",
);

/** `urllib`; only `parse` is supported. */
export const URLLIB_MODULE = new PyModule(
  "urllib",
  new Map<string, PyValue>([["parse", URL_MODULE]]),
  "request error response",
);

exceptionClass("Error", ["ValueError"], "binascii");
