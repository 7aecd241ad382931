import { CLASSES, PyClass } from "./classes.ts";
import { type Method, PyMethod } from "./descriptors.ts";
import { PyError } from "../errors.ts";
import { NO_KEYWORDS, PyInstance, bindMember } from "./instances.ts";
import { callValue } from "../calls.ts";
import { itemsOf, type Keywords, PyList, pyRepr, pyStr, PyTuple, type PyValue } from "../values.ts";

/** The exception hierarchy: each line names a class and its subclasses. */
const EXCEPTION_TREE = `
BaseException: Exception GeneratorExit KeyboardInterrupt SystemExit
Exception: ArithmeticError AssertionError AttributeError BufferError EOFError ImportError LookupError MemoryError
Exception: ExceptionGroup StopAsyncIteration NameError OSError ReferenceError RuntimeError StopIteration SyntaxError SystemError TypeError ValueError Warning
ArithmeticError: FloatingPointError OverflowError ZeroDivisionError
ImportError: ModuleNotFoundError
LookupError: IndexError KeyError
NameError: UnboundLocalError
OSError: BlockingIOError ChildProcessError ConnectionError FileExistsError FileNotFoundError InterruptedError
OSError: IsADirectoryError NotADirectoryError PermissionError ProcessLookupError TimeoutError
ConnectionError: BrokenPipeError ConnectionAbortedError ConnectionRefusedError ConnectionResetError
RuntimeError: NotImplementedError RecursionError
SyntaxError: IndentationError
IndentationError: TabError
ValueError: UnicodeError
UnicodeError: UnicodeDecodeError UnicodeEncodeError UnicodeTranslateError
Warning: BytesWarning DeprecationWarning EncodingWarning FutureWarning ImportWarning PendingDeprecationWarning
Warning: ResourceWarning RuntimeWarning SyntaxWarning UnicodeWarning UserWarning
`;

/** An exception instance. */
export class PyException extends PyInstance {
  args: readonly PyValue[];
  cause: PyValue = null;

  constructor(cls: PyClass, args: readonly PyValue[]) {
    super(cls);
    this.args = args;
  }

  override attribute(name: string): PyValue | undefined {
    if (name === "args") return new PyTuple(this.args);
    if (name === "__cause__" || name === "__context__") return this.cause;
    if (name === "__traceback__") return null;
    if (name === "message" && this.#isGroup) return this.args[0] ?? null;
    if (name === "exceptions" && this.#isGroup) return new PyTuple(itemsOf(this.args[1] ?? null));
    if (name === "value" && this.cls.name === "StopIteration") return this.args[0] ?? null;
    return super.attribute(name);
  }

  override repr(): string {
    return isUserMethod(this.cls.lookUp("__repr__")) ? super.repr() : this.defaultRepr();
  }

  override defaultRepr(): string {
    return `${this.cls.name}(${this.args.map(pyRepr).join(", ")})`;
  }

  override str(): string {
    return isUserMethod(this.cls.lookUp("__str__")) ? super.str() : this.plainStr();
  }

  get #isGroup(): boolean {
    return this.cls.isSubclassOf(requireExceptionClass("ExceptionGroup"));
  }

  /** Returns the message, ignoring a user-defined `__str__`. */
  plainStr(): string {
    const [first] = this.args;
    if (first === undefined) return "";
    if (this.#isGroup) {
      const count = itemsOf(this.args[1] ?? null).length;
      return `${pyStr(first)} (${count} sub-exception${count === 1 ? "" : "s"})`;
    }
    if (this.args.length > 1) return pyRepr(new PyTuple(this.args));
    return this.cls.isSubclassOf(requireExceptionClass("KeyError")) ? pyRepr(first) : pyStr(first);
  }
}

/** Returns true for a user-defined method. */
const isUserMethod = (member: PyValue | undefined): boolean => member !== undefined && !(member instanceof PyMethod);

function makeException(positional: readonly PyValue[], keywords: Keywords, cls: PyClass): PyValue {
  const exception = new PyException(cls, positional);
  const init = cls.lookUp("__init__");
  if (init !== undefined) callValue(bindMember(init, exception, cls), positional, keywords);
  return exception;
}

function addNote(self: PyException, note: PyValue): null {
  const notes = self.fields.get("__notes__");
  if (notes instanceof PyList) notes.items().push(note);
  else self.fields.set("__notes__", new PyList([note]));
  return null;
}

function parseExceptionTree(): ReadonlyMap<string, PyClass> {
  const base = new PyClass("BaseException", [CLASSES.object]);
  base.define({
    defineConstructor: makeException,
    methods: new Map<string, Method<PyException>>([
      [
        "__init__",
        {
          signature: { rest: true },
          body: (self, args) => {
            self.args = args;
            return null;
          },
        },
      ],
      ["__str__", { signature: {}, body: (self) => self.plainStr() }],
      ["__repr__", { signature: {}, body: (self) => self.defaultRepr() }],
      ["add_note", { signature: { required: ["note"] }, body: (self, [note = null]) => addNote(self, note) }],
      ["with_traceback", { signature: { required: ["tb"] }, body: (self) => self }],
    ]),
  });
  const classes = new Map([[base.name, base]]);
  for (const line of EXCEPTION_TREE.trim().split("\n")) {
    const [parentName = "", names = ""] = line.split(": ");
    const parent = classes.get(parentName);
    for (const name of names.split(" ")) classes.set(name, new PyClass(name, parent ? [parent] : []));
  }
  const osError = classes.get("OSError");
  for (const alias of ["IOError", "EnvironmentError"]) if (osError) classes.set(alias, osError);
  return classes;
}

/** Built-in exception classes by name. */
export const EXCEPTIONS = parseExceptionTree();

/** Exception classes of modules and library functions, created on first use. */
const MODULE_EXCEPTIONS = new Map<string, PyClass>();

export const BASE_EXCEPTION = requireExceptionClass("BaseException");

function requireExceptionClass(name: string): PyClass {
  const cls = EXCEPTIONS.get(name) ?? MODULE_EXCEPTIONS.get(name);
  if (cls) return cls;
  const exception = new PyClass(name, [requireExceptionClass("Exception")], { module: "" });
  MODULE_EXCEPTIONS.set(name, exception);
  return exception;
}

/** Returns the exception class of a module, which formulas can refer to. */
export function exceptionClass(name: string, bases: readonly string[], module: string): PyClass {
  const cls = new PyClass(name, bases.map(requireExceptionClass), { module });
  MODULE_EXCEPTIONS.set(name, cls);
  return cls;
}

/** Converts an error to the exception instance that `except … as` binds. */
export function exceptionOf(error: PyError): PyException {
  if (error.exception instanceof PyException) return error.exception;
  const args = (error.args ?? (error.message === "" ? [] : [error.message])) as readonly PyValue[];
  return new PyException(requireExceptionClass(error.typeName), args);
}

/** Returns the error for `raise value`, where `value` is an exception or an exception class. */
export function errorOf(value: PyValue): PyError {
  const raised = value instanceof PyClass ? callValue(value, [], NO_KEYWORDS) : value;
  if (!(raised instanceof PyException)) return new PyError("TypeError", "exceptions must derive from BaseException");
  return new PyError(raised.cls.name, safeMessage(raised), { exception: raised });
}

/** Returns the message; an error in a user-defined `__str__` must not hide the original error. */
function safeMessage(exception: PyException): string {
  try {
    return exception.str();
  } catch (error) {
    if (error instanceof PyError && error.catchable) return "";
    throw error;
  }
}

/** Returns whether `except spec` catches an exception. Throws PyError TypeError if `spec` is not an exception class. */
export function matchesSpec(exception: PyException, spec: PyValue): boolean {
  // Checks all elements of the tuple, also after a match: each must be an exception class.
  if (spec instanceof PyTuple) return spec.items().filter((one) => matchesSpec(exception, one)).length > 0;
  if (spec instanceof PyClass && spec.isSubclassOf(BASE_EXCEPTION)) return exception.cls.isSubclassOf(spec);
  throw new PyError("TypeError", "catching classes that do not inherit from BaseException is not allowed");
}
