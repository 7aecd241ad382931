import { firstKnown, elementType, type InferredType, listType, loopVariableType } from "./inferred-type.ts";

type Arguments = readonly (InferredType | undefined)[];

const listOfArgument = ([many]: Arguments): InferredType | undefined => listType(elementType(many), many);

/** Returns the type of one of several arguments, or of the elements of a single list. */
const argumentOrElement = (values: Arguments): InferredType | undefined =>
  values.length === 1 ? elementType(values[0]) : values.find((value) => value !== undefined);

const recordOf = (table: string | undefined): InferredType | undefined =>
  table === undefined ? undefined : { kind: "record", table };

const neighbour = ([record]: Arguments): InferredType | undefined =>
  recordOf(record?.kind === "record" ? record.table : undefined);

/** Functions that may return records, by the inferred types of their arguments. */
const RESULT_TYPES: ReadonlyMap<string, (values: Arguments) => InferredType | undefined> = new Map([
  ["IF", ([, yes, no]: Arguments) => firstKnown(yes, no)],
  ["IFERROR", ([value, other]: Arguments) => firstKnown(value, other)],
  ["PEEK", ([value]: Arguments) => value],
  ["PREVIOUS", neighbour],
  ["NEXT", neighbour],
  ["RANK", () => undefined],
  ["VLOOKUP", ([table]: Arguments) => recordOf(table?.kind === "table" ? table.table : undefined)],
  ["sorted", listOfArgument],
  ["reversed", listOfArgument],
  ["list", listOfArgument],
  ["tuple", listOfArgument],
  ["set", listOfArgument],
  ["iter", listOfArgument],
  ["next", ([many]: Arguments) => elementType(many)],
  ["max", argumentOrElement],
  ["min", argumentOrElement],
  ["enumerate", ([many]: Arguments) => listType({ kind: "tuple", items: [undefined, loopVariableType(many)] }, many)],
  ["zip", zipResultType],
]);

function zipResultType(values: Arguments): InferredType | undefined {
  const source = values.find((value) => loopVariableType(value) !== undefined);
  return listType({ kind: "tuple", items: values.map(loopVariableType) }, source);
}

export const isTypedBuiltin = (name: string): boolean => RESULT_TYPES.has(name);

/** Returns the inferred result type of a built-in function. `isBuiltin` must hold for `name`. */
export const builtinResultType = (name: string, values: Arguments): InferredType | undefined =>
  RESULT_TYPES.get(name)?.(values);

/** Functions that access the neighbours of a record, ordered and grouped by columns of its table. */
export const NEIGHBOURS: ReadonlySet<string> = new Set(["PREVIOUS", "NEXT", "RANK"]);
