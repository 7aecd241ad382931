import { expect, test } from "bun:test";
import { withBudget } from "../../../src/formula/runtime/budget.ts";
import { CALENDAR_MODULE } from "../../../src/formula/dates/calendar-module.ts";
import { DATETIME_MODULE } from "../../../src/formula/dates/datetime-module.ts";
import { TIME_MODULE } from "../../../src/formula/dates/time-module.ts";
import { PyDate } from "../../../src/formula/dates/date.ts";
import { PyDateTime } from "../../../src/formula/dates/datetime.ts";
import { PyTimedelta } from "../../../src/formula/dates/timedelta.ts";
import { PyZone } from "../../../src/formula/dates/tzinfo.ts";
import { PyError } from "../../../src/formula/runtime/errors.ts";
import { FUNCTIONS } from "../../../src/formula/functions/registry.ts";
import {
  AltText,
  PyFunction,
  PyList,
  PyObject,
  pyRepr,
  PyTuple,
  type PyValue,
} from "../../../src/formula/runtime/values.ts";
import { findZone, UTC } from "../../../src/values/zones.ts";

const BERLIN = PyZone.of(findZone("Europe/Berlin") ?? UTC);

const VALUES: readonly PyValue[] = [
  null,
  true,
  0n,
  1n,
  -3n,
  13n,
  10n ** 40n,
  0.5,
  -7.77,
  1e300,
  Number.NaN,
  -Infinity,
  "",
  "a",
  "2024-02-29 10:30",
  "5/6/22 3pm",
  "+442079460018",
  "monthly: /1 9am",
  "D",
  "*",
  "(",
  "\ud800x",
  "🌰",
  "x".repeat(3000),
  new PyDate(19_000),
  new PyDate(-719_162),
  new PyDateTime({ day: 2_932_896, micros: 86_399_999_999 }),
  new PyDateTime({ day: 19_000, micros: 5 }, BERLIN),
  new PyTimedelta(10n ** 15n),
  new PyList([1n, "x", null, 2.5]),
  new PyTuple([new PyDate(1), new PyTuple([])]),
  new AltText("soon", "Date"),
];

const CALLS = 150;
const LIMITS = { steps: 200_000, bytes: 2_000_000 };

/** Calls functions with pseudorandom but reproducible arguments; throws on errors other than PyError. */
function callOften(functions: readonly PyFunction[], timesEach: number): void {
  let state = 7;
  const next = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  for (const { name, call } of functions) {
    for (let count = 0; count < timesEach; count++) {
      const args = Array.from({ length: next(5) }, () => VALUES[next(VALUES.length)] ?? null);
      try {
        withBudget(LIMITS, () => pyRepr(call(args, new Map())));
      } catch (error) {
        if (!(error instanceof PyError)) throw new Error(`${name}(${args.map(pyRepr).join(", ")})`, { cause: error });
      }
    }
  }
}

test("functions return a value or raise a Python error for all arguments", () => {
  const library = [...FUNCTIONS.values()].filter(({ name }) => /^[A-Z]/.test(name));
  expect(library.length).toBeGreaterThan(200);
  callOften(library, CALLS);
});

test("date types, modules and methods return a value or raise a Python error", () => {
  const modules = [...DATETIME_MODULE.values(), ...CALENDAR_MODULE.values(), ...TIME_MODULE.values()];
  const methods = [...modules, ...VALUES].flatMap((value) =>
    value instanceof PyObject ? METHODS.map((name) => attributeOf(value, name)) : [],
  );
  const functions = [...modules, ...methods].filter((value) => value instanceof PyFunction);
  expect(functions.length).toBeGreaterThan(150);
  callOften(functions, CALLS);
});

function attributeOf(value: PyObject, name: string): PyValue | undefined {
  try {
    return value.attribute(name);
  } catch (error) {
    if (error instanceof PyError) return undefined;
    throw error;
  }
}

const METHODS = (
  "today now utcnow fromtimestamp utcfromtimestamp fromordinal fromisoformat fromisocalendar combine strptime replace " +
  "date time timetz astimezone utcoffset dst tzname timestamp isoformat timetuple utctimetuple toordinal weekday " +
  "isoweekday isocalendar strftime ctime total_seconds"
).split(" ");
