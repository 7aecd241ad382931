import { PyObject, type PyValue } from "../../formula/runtime/values.ts";
import type { UserInfo } from "../user-info.ts";

/** An object with attributes for formulas: `user` and `user.LinkKey`. */
class AttributeObject extends PyObject {
  readonly typeName: string;
  readonly #values: ReadonlyMap<string, PyValue>;

  constructor(typeName: string, values: ReadonlyMap<string, PyValue>) {
    super();
    this.typeName = typeName;
    this.#values = values;
  }

  repr(): string {
    return `<${this.typeName}>`;
  }

  override attribute(name: string): PyValue | undefined {
    return this.#values.get(name);
  }
}

/** Returns the `user` object of trigger formulas. */
export function userValue(user: UserInfo): PyValue {
  const linkKey = new AttributeObject("LinkKey", new Map<string, PyValue>(Object.entries(user.linkKey)));
  return new AttributeObject(
    "User",
    new Map<string, PyValue>([
      ["Access", user.access],
      ["Email", user.email],
      ["IsLoggedIn", user.isLoggedIn],
      ["LinkKey", linkKey],
      ["Name", user.name],
      ["Origin", user.origin],
      ["SessionID", user.sessionId],
      ["ShareRef", user.shareRef === undefined ? null : BigInt(user.shareRef)],
      ["UserID", user.userId === null ? null : BigInt(user.userId)],
      ["UserRef", user.userRef],
    ]),
  );
}
