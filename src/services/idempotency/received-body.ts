import { BodySpool } from "../../files/body-spool.ts";
import type { IncomingUpload } from "../imports/uploads.ts";

/** Writes a body to a temporary file, to know its hash before it is read. @throws AppError as `BodySpool.receive` */
export const receiveBody = ({ source, limits }: IncomingUpload): Promise<BodySpool> =>
  BodySpool.receive(source, limits);
