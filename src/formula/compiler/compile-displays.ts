import type { DictEntry, Expression } from "../parser/ast.ts";
import type { Compiler } from "./compiler.ts";
import { keywordSource, PyDict } from "../runtime/collections/dicts.ts";
import { spendBytes } from "../runtime/budget.ts";
import { costOfList } from "../runtime/call-costs.ts";
import type { Evaluate, Frame } from "./frame.ts";
import { itemsOf, type PyValue } from "../runtime/values.ts";

/** Compiles list items, some of which may be starred, to a closure that returns a new list. */
export function compileListItems(compiler: Compiler, nodes: readonly Expression[]): (frame: Frame) => PyValue[] {
  if (nodes.every((node) => node.kind !== "starred")) {
    const items = compiler.compileAll(nodes);
    const size = costOfList(items.length);
    return (frame) => {
      spendBytes(size);
      return items.map((item) => item(frame));
    };
  }
  const items = nodes.map((node) => ({
    starred: node.kind === "starred",
    evaluate: compiler.compile(node.kind === "starred" ? node.value : node),
  }));
  return (frame) => {
    const values: PyValue[] = [];
    for (const { starred, evaluate } of items) {
      const value = evaluate(frame);
      if (!starred) values.push(value);
      else for (const item of itemsOf(value)) values.push(item);
    }
    spendBytes(values.length * 8);
    return values;
  };
}

/** Compiles `{key: value, **other}`. */
export function compileDictDisplay(compiler: Compiler, nodes: readonly DictEntry[]): Evaluate {
  const entries = nodes.map(({ key, value }) => ({
    key: key && compiler.compile(key),
    value: compiler.compile(value),
  }));
  return (frame) => {
    const dict = new PyDict();
    for (const { key, value } of entries) {
      if (key) {
        const name = key(frame);
        dict.set(name, value(frame));
      } else dict.update(keywordSource(value(frame)));
    }
    return dict;
  };
}
