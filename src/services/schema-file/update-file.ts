/** For commands, which keep schema files of users. */
export { updateSchemaFile } from "../../exchange/schema-file/update-schema-file.ts";
