/**
 * Callbacks that the runtime calls: timers, and listeners of emitters and streams. They have no caller that could
 * handle what they throw, so an exception in one would end the process. Every such callback in `src/` is wrapped by
 * `guarded`, most of them by the functions of `timers.ts`; the architecture test refuses bare ones.
 */

/** What the log says of an error: where it was thrown, where that is known. */
export const stackOf = (error: unknown): string => (error instanceof Error && error.stack) || String(error);

type ErrorReporter = (error: unknown) => void;

/** Until a program says otherwise nothing is hidden: tests and commands fail by what is thrown. */
let reportError: ErrorReporter = (error) => {
  throw error;
};

/** Has this thread's failures of callbacks reported in that way, for the rest of its life. */
export function reportCallbackErrors(reporter: ErrorReporter): void {
  reportError = reporter;
}

/**
 * Wraps a callback so that what it throws, or what its promise rejects with, is handled.
 * @param onError takes the error; by default it is reported as `reportCallbackErrors` says
 */
export function guarded<A extends unknown[]>(
  callback: (...args: A) => unknown,
  onError: ErrorReporter = (error) => reportError(error),
): (...args: A) => void {
  return (...args) => {
    try {
      const result = callback(...args);
      if (result instanceof Promise) result.catch(onError);
    } catch (error) {
      onError(error);
    }
  };
}
