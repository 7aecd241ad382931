import { describeFileTypes } from "../../doc/types/describe-file-types.ts";
import { writeTypes } from "../../exchange/write-types.ts";

/** Returns the tables of a document's file as declarations in TypeScript. */
export const declareFileTypes = (path: string): string => writeTypes(describeFileTypes(path));
