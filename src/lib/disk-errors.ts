/** What the system says of a disk that is full, for reading only, or broken. */
const DISK_ERROR_CODES = /^(ENOSPC|EDQUOT|EROFS|EIO|EACCES|EPERM)$/;
/** What it says when no more files can be opened. */
const DESCRIPTOR_ERROR_CODES = /^(EMFILE|ENFILE)$/;

const errorCode = (error: unknown): string => String((error as { code?: unknown } | null)?.code);

/** True for what a full or failing disk throws, whatever was to be done with a file. */
export const isDiskError = (error: unknown): boolean => DISK_ERROR_CODES.test(errorCode(error));

/** True when the process has as many files and connections open as it may. */
export const isOutOfFileDescriptors = (error: unknown): boolean => DESCRIPTOR_ERROR_CODES.test(errorCode(error));
