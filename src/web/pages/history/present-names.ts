import { isInternalColumn, type PastSchema } from "./past-schema.ts";

/** The titles of tables and the labels of their columns by id, as JSON: the plan of a restore names them. */
export const presentNames = (schema: PastSchema): string =>
  JSON.stringify(
    Object.fromEntries(
      [...schema.tables()].map(({ id, title, columns }) => [
        id,
        {
          title,
          columns: Object.fromEntries(
            [...columns.values()].flatMap((column) => (isInternalColumn(column.id) ? [] : [[column.id, column.name]])),
          ),
        },
      ]),
    ),
  );
