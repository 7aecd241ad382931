import type { Statement } from "./ast.ts";
import type { Compiler } from "./compiler.ts";
import { notSupported } from "./errors.ts";
import type { Execute } from "./frame.ts";

export function compileMatch(_compiler: Compiler, _statement: Statement & { kind: "match" }): Execute {
  throw notSupported("match statements");
}
