import { READING_TASKS } from "./reading-tasks.ts";
import { REFUSED_TASKS } from "./refused-tasks.ts";
import type { Task } from "./task.ts";
import { WRITING_TASKS } from "./writing-tasks.ts";

export const TASKS: readonly Task[] = [...READING_TASKS, ...WRITING_TASKS, ...REFUSED_TASKS];
