import { AppError } from "../../errors.ts";
import { receiveUpload, type Upload, type UploadedFile } from "../../files/uploads.ts";
import type { IncomingUpload } from "../imports/uploads.ts";

/** Bounds of the texts of an answer: far more than people type. */
const MAX_TEXTS = 10_000;
const MAX_TEXT_BYTES = 2 * 1024 ** 2;

/** A form as it was received. Disposing it deletes its files. */
export interface ReceivedForm extends AsyncDisposable {
  /** Names and texts of the controls, in their order: the first ones of a form that was refused. */
  readonly texts: readonly (readonly [name: string, text: string])[];
  /** Files by the name of their control. */
  readonly files: ReadonlyMap<string, readonly File[]>;
  /** Why the form could not be received as a whole. */
  readonly refusal: AppError | null;
}

/** Receives a form with its files, which are kept on disk meanwhile. */
export async function receiveForm({ source, limits }: IncomingUpload): Promise<ReceivedForm> {
  const texts: [name: string, text: string][] = [];
  const receiver = {
    maxTexts: MAX_TEXTS,
    maxBytes: MAX_TEXT_BYTES,
    add: (name: string, text: string) => void texts.push([name, text]),
  };
  const end = async (): Promise<void> => {};
  try {
    const upload = await receiveUpload(source, { ...limits, texts: receiver });
    const files = filesByControl(upload);
    return { texts, files, refusal: null, [Symbol.asyncDispose]: () => upload[Symbol.asyncDispose]() };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { texts, files: new Map(), refusal: error, [Symbol.asyncDispose]: end };
  }
}

/** Browsers send an empty file without a name for a control in which none was chosen. */
const isChosen = ({ name, sizeBytes }: UploadedFile): boolean => sizeBytes > 0 || name !== UNNAMED;
const UNNAMED = "upload";

/** The contents stay on disk until they are read. */
function filesByControl({ files }: Upload): Map<string, File[]> {
  const found = new Map<string, File[]>();
  for (const { field, path, name, type } of files.filter(isChosen)) {
    found.set(field, [...(found.get(field) ?? []), new File([Bun.file(path)], name, { type })]);
  }
  return found;
}
