import { asByteArrays, byteCharacter, bytesText, resolveByteIndex, PyByteArray } from "../runtime/text/byte-arrays.ts";
import type { Method } from "../runtime/classes/descriptors.ts";
import { PyError, valueError } from "../runtime/errors.ts";
import { type Signature, requireIndex } from "../runtime/signature.ts";
import type { PyValue } from "../runtime/values.ts";
import { BYTES_METHODS } from "./bytes-methods.ts";

type ByteArrayMethod = Method<PyByteArray>;

const ONE: Signature = { required: ["value"], positionalOnly: true };

/** Defines a method that modifies the bytes and returns None. */
const mutatingMethod = (
  name: string,
  signature: Signature,
  body: (self: PyByteArray, args: readonly PyValue[]) => void,
): [string, ByteArrayMethod] => [
  name,
  {
    signature,
    body(self, args) {
      body(self, args);
      return null;
    },
  },
];

/** The methods of bytes, which return byte arrays here, and the mutating methods. */
export const BYTE_ARRAY_METHODS: ReadonlyMap<string, ByteArrayMethod> = new Map<string, ByteArrayMethod>([
  ...Array.from(BYTES_METHODS, ([name, { signature, body }]): [string, ByteArrayMethod] => [
    name,
    { signature, body: (self, args) => asByteArrays(body(self, args)) },
  ]),
  mutatingMethod("append", ONE, (self, [value = null]) => self.append(byteCharacter(value))),
  mutatingMethod("extend", ONE, (self, [values = null]) => self.append(bytesText(values))),
  mutatingMethod("clear", {}, (self) => (self.text = "")),
  mutatingMethod("reverse", {}, (self) => (self.text = self.text.split("").reverse().join(""))),
  mutatingMethod("insert", { required: ["index", "value"], positionalOnly: true }, (self, [index, value = null]) => {
    const position = requireIndex(index);
    const at = position < 0 ? Math.max(0, position + self.text.length) : position;
    self.text = self.text.slice(0, at) + byteCharacter(value) + self.text.slice(at);
  }),
  mutatingMethod("remove", ONE, (self, [value = null]) => {
    const at = self.text.indexOf(byteCharacter(value));
    if (at < 0) throw valueError("value not found in bytearray");
    self.text = self.text.slice(0, at) + self.text.slice(at + 1);
  }),
  ["copy", { signature: {}, body: (self) => new PyByteArray(self.text) }],
  [
    "pop",
    {
      signature: { optional: [["index", -1n]], positionalOnly: true },
      body(self, [index]) {
        if (self.text === "") throw new PyError("IndexError", "pop from empty bytearray");
        const at = resolveByteIndex(self.text, requireIndex(index), "pop index");
        const code = self.text.charCodeAt(at);
        self.text = self.text.slice(0, at) + self.text.slice(at + 1);
        return BigInt(code);
      },
    },
  ],
]);
