import { PyBytes } from "../runtime/text/bytes.ts";
import { typeError, valueError } from "../runtime/errors.ts";
import { PyObject, type PyValue } from "../runtime/values.ts";
import { moduleFunction } from "./module-function.ts";
import { PyModule } from "./module.ts";

class PyUuid extends PyObject {
  readonly typeName = "UUID";
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }

  get #digits(): string {
    return this.text.replaceAll("-", "");
  }

  override attribute(name: string): PyValue | undefined {
    if (name === "hex") return this.#digits;
    if (name === "int") return BigInt(`0x${this.#digits}`);
    if (name === "version") return BigInt(Number.parseInt(this.text.charAt(14), 16));
    return name === "bytes" ? PyBytes.fromArray(Buffer.from(this.#digits, "hex")) : undefined;
  }

  override equals(other: PyValue): boolean {
    return other instanceof PyUuid && other.text === this.text;
  }

  override hashKey(): string {
    return `\0u${this.text}`;
  }

  override str(): string {
    return this.text;
  }

  repr(): string {
    return `UUID('${this.text}')`;
  }
}

function parseUuid(text: string): PyUuid {
  const digits = text
    .replace(/^urn:uuid:/i, "")
    .replaceAll(/[{}-]/g, "")
    .toLowerCase();
  if (!/^[\da-f]{32}$/.test(digits)) throw valueError("badly formed hexadecimal UUID string");
  return new PyUuid(digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"));
}

export const UUID_MODULE = new PyModule(
  "uuid",
  new Map<string, PyValue>([
    moduleFunction("uuid4", "", () => new PyUuid(crypto.randomUUID())),
    moduleFunction("UUID", "hex", ([text]) => {
      if (typeof text !== "string")
        throw typeError("one of the hex, bytes, bytes_le, fields, or int arguments must be given");
      return parseUuid(text);
    }),
  ]),
  "NAMESPACE_DNS NAMESPACE_OID NAMESPACE_URL NAMESPACE_X500 SafeUUID getnode uuid1 uuid3 uuid5",
);
