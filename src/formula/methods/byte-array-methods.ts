import { asByteArrays, byteCharacter, bytesText, placeIn, PyByteArray } from "../byte-arrays.ts";
import type { Method } from "../descriptors.ts";
import { PyError, valueError } from "../errors.ts";
import { type Signature, wantIndex } from "../signature.ts";
import type { PyValue } from "../values.ts";
import { BYTES_METHODS } from "./bytes-methods.ts";

type ByteArrayMethod = Method<PyByteArray>;

const ONE: Signature = { required: ["value"], positionalOnly: true };

/** A method that changes the bytes and gives None. */
const change = (
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

/** The methods of bytes, which give byte arrays here, and those that change them. */
export const BYTE_ARRAY_METHODS: ReadonlyMap<string, ByteArrayMethod> = new Map<string, ByteArrayMethod>([
  ...Array.from(BYTES_METHODS, ([name, { signature, body }]): [string, ByteArrayMethod] => [
    name,
    { signature, body: (self, args) => asByteArrays(body(self, args)) },
  ]),
  change("append", ONE, (self, [value = null]) => self.append(byteCharacter(value))),
  change("extend", ONE, (self, [values = null]) => self.append(bytesText(values))),
  change("clear", {}, (self) => (self.text = "")),
  change("reverse", {}, (self) => (self.text = self.text.split("").reverse().join(""))),
  change("insert", { required: ["index", "value"], positionalOnly: true }, (self, [index, value = null]) => {
    const given = wantIndex(index);
    const at = given < 0 ? Math.max(0, given + self.text.length) : given;
    self.text = self.text.slice(0, at) + byteCharacter(value) + self.text.slice(at);
  }),
  change("remove", ONE, (self, [value = null]) => {
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
        const at = placeIn(self.text, wantIndex(index), "pop index");
        const code = self.text.charCodeAt(at);
        self.text = self.text.slice(0, at) + self.text.slice(at + 1);
        return BigInt(code);
      },
    },
  ],
]);
