import { decodeBytes, PyBytes } from "../bytes.ts";
import type { Method } from "../descriptors.ts";
import { typeError, valueError } from "../errors.ts";
import { type Signature, wantText } from "../signature.ts";
import { itemsOf, PyList, type PyValue, typeName } from "../values.ts";
import { TEXT_METHODS } from "./text-methods.ts";

type BytesMethod = Method<PyBytes>;

const NONE: Signature = {};

/** Methods that do to bytes what those of texts do to texts: each byte is a character. */
const SHARED =
  "upper lower strip lstrip rstrip startswith endswith find rfind index count replace split rsplit join ljust rjust " +
  "center zfill isdigit isalpha isspace removeprefix removesuffix";

function shared(name: string): [string, BytesMethod] {
  const method = TEXT_METHODS.get(name);
  if (!method) throw new Error(`no method ${name}`);
  return [
    name,
    {
      signature: method.signature,
      body: (self, args) => toBytes(method.body(self.text, args.map(toText))),
    },
  ];
}

function toText(value: PyValue): PyValue {
  if (value instanceof PyBytes) return value.text;
  if (value instanceof PyList) return new PyList(value.items().map(toText));
  if (typeof value === "string" && value !== " ") throw typeError("a bytes-like object is required, not 'str'");
  return value;
}

function toBytes(value: PyValue): PyValue {
  if (typeof value === "string") return new PyBytes(value);
  return value instanceof PyList ? new PyList(value.items().map(toBytes)) : value;
}

export const BYTES_METHODS: ReadonlyMap<string, BytesMethod> = new Map<string, BytesMethod>([
  ...SHARED.split(" ").map(shared),
  [
    "decode",
    {
      signature: {
        optional: [
          ["encoding", "utf-8"],
          ["errors", "strict"],
        ],
      },
      body: (self, [encoding, errors]) => decodeBytes(self, wantText(encoding), wantText(errors)),
    },
  ],
  ["hex", { signature: NONE, body: (self) => hexOf(self) }],
]);

const hexOf = (bytes: PyBytes): string =>
  itemsOf(bytes)
    .map((byte) => (byte as bigint).toString(16).padStart(2, "0"))
    .join("");

/** `bytes.fromhex(text)` */
export function bytesFromHex([text = null]: readonly PyValue[]): PyBytes {
  if (typeof text !== "string") throw typeError(`fromhex() argument must be str, not ${typeName(text)}`);
  const digits = text.replaceAll(/\s/g, "");
  if (digits.length % 2 !== 0 || !/^[\da-f]*$/i.test(digits)) {
    throw valueError("non-hexadecimal number found in fromhex() arg");
  }
  const pairs = digits.match(/../g) ?? [];
  return PyBytes.fromArray(Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16)));
}
