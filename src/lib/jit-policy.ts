/** Multiplies the number of calls after which the engine compiles a function to machine code. */
const STARTUP_SCALE = 8;

/**
 * Makes the engine compile less on this thread, until `resumeJit`: startup code runs once, so compiling it costs more
 * time than it saves, and memory that stays in use.
 */
export const deferJit = (): void => Bun.unsafe.setJITPolicy(STARTUP_SCALE);

export const resumeJit = (): void => Bun.unsafe.setJITPolicy(1);
