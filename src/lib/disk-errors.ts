/** What the system says of a disk that is full, for reading only, or broken. */
const OF_DISK = /^(ENOSPC|EDQUOT|EROFS|EIO|EACCES|EPERM)$/;
/** What it says when no more files can be opened. */
const OF_HANDLES = /^(EMFILE|ENFILE)$/;

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code);

/** True for what a full or failing disk throws, whatever was to be done with a file. */
export const isDiskError = (error: unknown): boolean => OF_DISK.test(codeOf(error));

/** True when the process has as many files and connections open as it may. */
export const isOutOfHandles = (error: unknown): boolean => OF_HANDLES.test(codeOf(error));
