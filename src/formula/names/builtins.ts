import { either, elementOf, type Known, listOf, looped } from "./known.ts";

type Arguments = readonly (Known | undefined)[];

const asList = ([many]: Arguments): Known | undefined => listOf(elementOf(many), many);

/** One of several values, or of those in a single list. */
const oneOf = (values: Arguments): Known | undefined =>
  values.length === 1 ? elementOf(values[0]) : values.find((value) => value !== undefined);

const recordOf = (table: string | undefined): Known | undefined =>
  table === undefined ? undefined : { kind: "record", table };

const neighbour = ([record]: Arguments): Known | undefined =>
  recordOf(record?.kind === "record" ? record.table : undefined);

/** Functions that may give records, by what is known of their arguments. */
const GIVEN: ReadonlyMap<string, (values: Arguments) => Known | undefined> = new Map([
  ["IF", ([, yes, no]: Arguments) => either(yes, no)],
  ["IFERROR", ([value, other]: Arguments) => either(value, other)],
  ["PEEK", ([value]: Arguments) => value],
  ["PREVIOUS", neighbour],
  ["NEXT", neighbour],
  ["RANK", () => undefined],
  ["VLOOKUP", ([table]: Arguments) => recordOf(table?.kind === "table" ? table.table : undefined)],
  ["sorted", asList],
  ["reversed", asList],
  ["list", asList],
  ["tuple", asList],
  ["set", asList],
  ["iter", asList],
  ["next", ([many]: Arguments) => elementOf(many)],
  ["max", oneOf],
  ["min", oneOf],
  ["enumerate", ([many]: Arguments) => listOf({ kind: "tuple", items: [undefined, looped(many)] }, many)],
  ["zip", zipped],
]);

function zipped(values: Arguments): Known | undefined {
  const source = values.find((value) => looped(value) !== undefined);
  return listOf({ kind: "tuple", items: values.map(looped) }, source);
}

export const isBuiltin = (name: string): boolean => GIVEN.has(name);

/** What a function of the language gives. `name` is one that `isBuiltin`. */
export const givenBy = (name: string, values: Arguments): Known | undefined => GIVEN.get(name)?.(values);

/** Functions that look at the neighbours of a record, ordered and grouped by columns of its table. */
export const NEIGHBOURS: ReadonlySet<string> = new Set(["PREVIOUS", "NEXT", "RANK"]);
