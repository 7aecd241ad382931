import { unreachable } from "../../lib/assert.ts";
import type { Expression, Statement } from "../parser/ast.ts";
import { isGlobalName } from "../parser/bindings.ts";
import { type ColumnRead, readerOf, type RowColumns } from "./column-reads.ts";
import { generateExpression } from "./generate-expression.ts";
import { mayBe, OTHER } from "./kinds.ts";
import { type FormulaTree, type RowGenerator, truthy } from "./row-generator.ts";
import { NotSimple, RowWriter, type Value } from "./row-writer.ts";

/** Ends a path with the formula's result. */
export type OnReturn = (result: Value) => void;

/** Generates the code of one formula. Methods throw NotSimple for all that is left to the interpreter. */
export class FormulaGenerator implements RowGenerator {
  readonly writer = new RowWriter();
  /** The columns that the function reads, in the order of its parameters. */
  readonly reads: string[] = [];
  readonly #tree: FormulaTree;
  readonly #columns: RowColumns;
  /** Identifiers of the formula's variables. */
  readonly #variables = new Map<string, string>();
  readonly #columnReads: ColumnRead[] = [];

  constructor(tree: FormulaTree, columns: RowColumns) {
    this.#tree = tree;
    this.#columns = columns;
    for (const [index, name] of tree.fn.locals.entries()) {
      const id = `v${index}`;
      this.#variables.set(name, id);
      this.writer.define(id, OTHER);
    }
  }

  /** Lines that come before the body: declarations, and conversions of the columns' stored values. */
  get prologue(): string[] {
    const variables = [...this.#variables.values()];
    if (this.writer.countsSteps) variables.push("s = 0");
    if (this.writer.countsBytes) variables.push("b = 0");
    const conversions = this.#columnReads.flatMap(({ conversion }, index) => conversion?.(`c${index}`) ?? []);
    return variables.length > 0 ? [`let ${variables.join(", ")};`, ...conversions] : conversions;
  }

  expression(node: Expression): Value {
    return generateExpression(this, node);
  }

  /** Returns a JavaScript condition for Python's truth value of an expression. */
  truth(node: Expression): string {
    return this.writer.truth(this.expression(node));
  }

  /** Returns true for names that are neither variables nor tables. */
  isGlobal(name: string): boolean {
    return !isGlobalName(name) && !this.#variables.has(name) && !this.#tree.isTable(name);
  }

  readColumn(name: string): Value {
    const known = this.reads.indexOf(name);
    // Checked where it is read, as the interpreter raises the errors of cells.
    if (known >= 0) return this.writer.usable(this.writer.read(`c${known}`));
    const read = readerOf(name, this.#columns);
    if (!read) throw new NotSimple("a column that is left to the interpreter");
    const id = `c${this.reads.push(name) - 1}`;
    this.#columnReads.push(read);
    if (read.helper) this.writer.helpers.add(read.helper);
    if (read.hidesNumbers) this.writer.hidesNumbers = true;
    this.writer.define(id, read.kinds, read.numberTest?.(id));
    return this.writer.usable(this.writer.read(id));
  }

  readVariable(name: string): Value {
    const id = this.#variables.get(name);
    if (id === undefined) throw new NotSimple("a name that is no variable");
    const value = this.writer.read(id);
    if (mayBe(value.kinds, OTHER)) throw new NotSimple("a variable that may have no value");
    return value;
  }

  assign(name: string, value: Value): void {
    const id = this.#variables.get(name);
    if (id === undefined) throw new NotSimple("a name that is no variable");
    const usable = this.writer.usable(value);
    this.writer.write(`${id} = ${usable.code};`);
    this.writer.setKinds(id, usable.kinds);
  }

  /**
   * Ends a path with the value of an expression. Each branch of a condition ends on its own, where the kinds of its
   * value are known.
   */
  endWith(node: Expression, onReturn: OnReturn): void {
    const { writer } = this;
    if (node.kind === "conditional") {
      const end = (value: Expression) => () => this.endWith(value, onReturn);
      return writer.branch(this.truth(node.test), end(node.body), end(node.orElse));
    }
    if (node.kind !== "logic") return onReturn(this.expression(node));
    const left = writer.atom(writer.usable(this.expression(node.left)));
    const endLeft = () => onReturn(node.operator === "or" ? truthy(left) : left);
    const endRight = () => this.endWith(node.right, onReturn);
    const [then, orElse] = node.operator === "or" ? [endLeft, endRight] : [endRight, endLeft];
    writer.branch(writer.truth(left), then, orElse);
  }

  /** Generates statements; `onReturn` ends a path with the formula's result. */
  block(statements: readonly Statement[], onReturn: OnReturn): void {
    for (const statement of statements) {
      if (this.writer.isDone) return;
      this.#statement(statement, onReturn);
    }
  }

  #statement(statement: Statement, onReturn: OnReturn): void {
    const { writer } = this;
    switch (statement.kind) {
      case "pass":
        return;
      case "expression":
        writer.addSteps(1);
        writer.usable(this.expression(statement.value));
        return;
      case "return":
        return this.endWith(statement.value, onReturn);
      case "assign":
        return this.#assignment(statement);
      case "augment":
        return this.#augmentedAssignment(statement);
      case "if":
        return this.#ifStatement(statement, onReturn);
      case "assert":
      case "break":
      case "class":
      case "continue":
      case "delete":
      case "for":
      case "function":
      case "import":
      case "match":
      case "raise":
      case "try":
      case "unsupported":
      case "while":
      case "with":
        throw new NotSimple(statement.kind);
      default:
        return unreachable(statement);
    }
  }

  #assignment({ targets, value: node }: Statement & { kind: "assign" }): void {
    const { writer } = this;
    // The interpreter does not charge several targets.
    if (targets.length === 1) writer.addSteps(1);
    const value = writer.atom(writer.usable(this.expression(node)));
    for (const target of targets) {
      if (target.kind !== "name") throw new NotSimple("an assignment to a part of a value");
      this.assign(target.name, value);
    }
  }

  #augmentedAssignment({ target, operator, value, from, to }: Statement & { kind: "augment" }): void {
    if (target.kind !== "name") throw new NotSimple("an assignment to a part of a value");
    this.writer.addSteps(1);
    const left = { kind: "name", name: target.name, from, to } as const;
    this.assign(target.name, this.expression({ kind: "binary", operator, left, right: value, from, to }));
  }

  #ifStatement(statement: Statement & { kind: "if" }, onReturn: OnReturn, at = 0): void {
    const branch = statement.branches[at];
    if (!branch) return this.block(statement.orElse, onReturn);
    this.writer.branch(
      this.truth(branch.test),
      () => this.block(branch.body, onReturn),
      () => this.#ifStatement(statement, onReturn, at + 1),
    );
  }
}
