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

/** What to do about an error. */
const REMEDIES: ReadonlyMap<string, string> = new Map([
  ["AssertionError", "Check the condition after assert."],
  ["AttributeError", "Check the spelling of the columns, and that the column still exists."],
  ["CircularRefError", "Change one of the formulas in the circle so that it no longer reads the others."],
  ["Formula not supported", "Turn off the on-demand setting of the table."],
  ["ImportError", "Check the name after import."],
  ["IndentationError", "Indent the lines of a block by the same number of spaces."],
  ["IndexError", "Check the length of the list first, for example with if."],
  ["InvalidTypedValue", "Correct the value of the cell that the formula reads."],
  ["KeyError", "Check the spelling of the key or column, and that it exists."],
  ["MemoryError", "Let the formula create less: filter rows before joining or listing them."],
  ["ModuleNotFoundError", "Check the spelling of the module, or do without it."],
  ["NameError", "Check the spelling of the name; columns begin with $, and texts are in quotes."],
  ["NotImplementedError", "Write the formula without this feature."],
  ["OverflowError", "Check the numbers that the formula reads."],
  ["ParserError", "Correct the text of the date, or check it first."],
  ["RecursionError", "Check that the function stops calling itself."],
  ["SyntaxError", "Correct the line that the message names."],
  ["TimeoutError", "Let the formula do less: look up rows by a column instead of going through all of them."],
  ["TypeError", "Check for empty cells first, for example with if, or convert the value."],
  ["UnboundLocalError", "Assign a value to the variable in every branch before it is read."],
  ["ValueError", "Check the value first, for example with if, or correct the cell."],
  ["ZeroDivisionError", "Check for zero first: $A / $B if $B else None."],
]);

/** Returns what to do about an error, by its type name. */
export const errorRemedy = (typeName: string): string =>
  REMEDIES.get(typeName) ?? "Check the formula and the cells that it reads.";
