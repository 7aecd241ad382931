/** Explanations of formula errors for spreadsheet users who do not know Python. */
const TEXTS: ReadonlyMap<string, string> = new Map([
  ["AssertionError", "An assertion in the formula is false."],
  ["AttributeError", "The formula uses a column or attribute that does not exist."],
  ["CircularRefError", "The cell depends on itself, directly or through other cells."],
  ["Formula not supported", "Formulas are not supported in on-demand tables."],
  ["ImportError", "The formula imports a name that the module does not have."],
  ["IndentationError", "The indentation of the formula is not valid."],
  ["IndexError", "The formula uses a list index that is out of range."],
  ["InvalidTypedValue", "The formula reads a cell whose value does not match the column type."],
  ["KeyError", "The formula uses a key, column or time zone that does not exist."],
  ["MemoryError", "The formula creates texts, lists or numbers that are too large."],
  ["ModuleNotFoundError", "The formula imports a module that does not exist."],
  ["NameError", "The formula uses a name that is not a function, table or variable."],
  ["NotImplementedError", "The formula uses a feature that this server does not support."],
  ["OverflowError", "A number is too large."],
  ["ParserError", "A text is not a valid date."],
  ["RecursionError", "Functions of the formula call each other too deeply."],
  ["SyntaxError", "The formula has a syntax error: a bracket, quote, operator or return may be missing."],
  ["TimeoutError", "The formula takes too long."],
  ["TypeError", "A value has the wrong type: a text or an empty value where a number is needed, for example."],
  ["UnboundLocalError", "The formula uses a variable before assigning a value to it."],
  ["ValueError", "A value is not valid: a text that is not a number, or a number that is out of range, for example."],
  ["ZeroDivisionError", "A number is divided by zero."],
]);

/** Returns the explanation of an error by its type name: `ZeroDivisionError`. */
export const errorText = (typeName: string): string => TEXTS.get(typeName) ?? `The formula failed with ${typeName}.`;

/** The type names of errors that have an explanation. */
export const EXPLAINED_ERRORS: readonly string[] = [...TEXTS.keys()];
