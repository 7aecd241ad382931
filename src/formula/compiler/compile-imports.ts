import type { Statement } from "../parser/ast.ts";
import { readAttribute } from "../runtime/classes/attributes.ts";
import type { Compiler } from "./compiler.ts";
import { notSupported, PyError } from "../runtime/errors.ts";
import { type Execute, NEXT } from "./frame.ts";
import { UNSUPPORTED_MODULES } from "../runtime/unsupported-names.ts";
import { MODULES } from "../modules/registry.ts";

/** Compiles `import module as name` and `from module import member as name`. */
export function compileImport(compiler: Compiler, { module, names }: Statement & { kind: "import" }): Execute {
  const found = MODULES.get(module);
  if (!found) {
    if (UNSUPPORTED_MODULES.has(module)) throw notSupported(`module ${module}`);
    return () => {
      throw new PyError("ModuleNotFoundError", `No module named '${module}'`);
    };
  }
  const stores = names.map(({ member, name }) => ({ member, assign: compiler.compileAssign(name) }));
  for (const { member } of names) if (member !== null) found.requireSupported(member);
  return (frame) => {
    for (const { member, assign } of stores) {
      if (member !== null && !found.has(member)) {
        throw new PyError("ImportError", `cannot import name '${member}' from '${module}'`);
      }
      assign(frame, member === null ? found : readAttribute(found, member));
    }
    return NEXT;
  };
}
