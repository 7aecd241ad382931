/** What errors of formulas mean, in words for people who know spreadsheets and no Python. */
const TEXTS: ReadonlyMap<string, string> = new Map([
  ["AssertionError", "Something that the formula takes for granted does not hold."],
  ["AttributeError", "The formula asks for a column, or a property, that is not there."],
  ["CircularRefError", "The cell depends on itself, directly or through other cells."],
  ["Formula not supported", "Tables that are kept on demand have no formulas."],
  ["ImportError", "The formula asks a module for something that it does not have."],
  ["IndentationError", "The lines of the formula are not indented as they must be."],
  ["IndexError", "The formula takes an element of a list that has fewer."],
  ["InvalidTypedValue", "A cell that the formula reads holds a text that does not fit its column."],
  ["KeyError", "The formula looks for something that is not there: a column, a key, or a time zone."],
  ["MemoryError", "The formula makes texts, lists or numbers that are too large."],
  ["ModuleNotFoundError", "The formula imports a module that does not exist."],
  ["NameError", "The formula uses a name that nothing has: no function, table or variable."],
  ["NotImplementedError", "The formula uses something that this server does not have."],
  ["OverflowError", "A number gets too large."],
  ["ParserError", "A text cannot be read as a date."],
  ["RecursionError", "A function of the formula calls itself without end."],
  ["SyntaxError", "The formula cannot be read: a bracket, a quote, an operator or a return may be missing."],
  ["TimeoutError", "The formula takes too long."],
  ["TypeError", "A value is of the wrong kind for what is done with it: a text where a number is needed, or nothing."],
  ["UnboundLocalError", "The formula uses a variable before it has a value."],
  [
    "ValueError",
    "A value is of the right kind but cannot be used: a text that is no number, or a number out of range.",
  ],
  ["ZeroDivisionError", "A number is divided by zero."],
]);

/** A sentence about an error by its type's name: `ZeroDivisionError`. */
export const errorText = (typeName: string): string =>
  TEXTS.get(typeName) ?? `The formula ends with an error of the kind ${typeName}.`;
