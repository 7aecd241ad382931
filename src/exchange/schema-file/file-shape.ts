import { z } from "zod";
import { KEY_PATTERN, SCHEMA_FILE_VERSION, type SchemaFile } from "./model.ts";

/** The form of schema files. Each text has a limit, and unknown properties are refused. */

const LIMITS = { id: 200, text: 10_000, formula: 100_000, list: 10_000 } as const;

const text = z.string({ error: "must be text; put it in quotes" }).max(LIMITS.text);
const id = z.string({ error: "must be an id" }).min(1).max(LIMITS.id);
const key = z.string({ error: "must be a key" }).regex(KEY_PATTERN, "must be a key: letters, digits and underscores");
const formula = z.string({ error: "must be a formula; put it in quotes" }).max(LIMITS.formula);
const keys = z.array(key).max(LIMITS.list);
const byKey = <T extends z.ZodType>(value: T) => z.record(key, value);
const json = z.record(z.string().max(LIMITS.text), z.unknown());

const Trigger = z.strictObject({
  formula: formula.min(1),
  when: z.enum(["newRecords", "everyChange", "never"]).optional(),
  columns: keys.optional(),
});

const Column = z.strictObject({
  id,
  label: text.optional(),
  idFollowsLabel: z.boolean().optional(),
  description: text.optional(),
  type: id,
  show: key.optional(),
  reverse: key.optional(),
  formula: formula.optional(),
  trigger: Trigger.optional(),
  unknownNames: z.array(id).max(LIMITS.list).optional(),
  choices: z.array(text).max(LIMITS.list).optional(),
  choiceStyles: json.optional(),
  conditionalStyles: z
    .array(z.strictObject({ formula, style: json.optional() }))
    .max(100)
    .optional(),
  options: json.optional(),
});

const Summary = z.strictObject({
  groupBy: keys,
  title: text.optional(),
  description: text.optional(),
  columns: byKey(Column),
});

const Table = z.strictObject({
  id,
  title: text.optional(),
  description: text.optional(),
  onDemand: z.boolean().optional(),
  columns: byKey(Column),
  summaries: byKey(Summary).optional(),
});

const Rule = z.strictObject({
  if: formula.optional(),
  permissions: z.string({ error: "must be permissions such as +R-CUD, all or none" }).max(20),
  memo: text.optional(),
});
const rules = z.array(Rule).max(LIMITS.list);

const Access = z.strictObject({
  userAttributes: z
    .array(z.strictObject({ name: id, table: key, column: key, property: id }))
    .max(100)
    .optional(),
  tables: byKey(
    z.strictObject({
      columns: z.array(z.strictObject({ columns: keys.min(1), rules })).optional(),
      rules: rules.optional(),
    }),
  ).optional(),
  default: rules.optional(),
  special: z.record(id, rules).optional(),
});

const Webhook = z.strictObject({
  name: text,
  table: key,
  events: z.array(z.enum(["add", "update", "remove"])).min(1),
  enabled: z.boolean().optional(),
  memo: text.optional(),
  readyColumn: key.optional(),
  watchedColumns: keys.optional(),
});

export const FileShape = z.strictObject({
  version: z.literal(SCHEMA_FILE_VERSION, { error: `must be ${SCHEMA_FILE_VERSION}` }),
  document: z.strictObject({ timezone: id.optional(), locale: id.optional(), currency: id.optional() }).optional(),
  tables: byKey(Table).optional(),
  access: Access.optional(),
  webhooks: z.array(Webhook).max(200).optional(),
}) satisfies z.ZodType<SchemaFile>;
