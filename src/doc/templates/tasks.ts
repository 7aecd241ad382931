import {
  byId,
  choiceColumn,
  COLOURS,
  countColumn,
  dateColumn,
  type DayOf,
  type Template,
  type TemplateRow,
  textColumn,
} from "./template.ts";

/** Projects, the people who work on them, and their tasks. */
export const tasks: Template = {
  tables: {
    Tasks: {
      id: "Tasks",
      columns: byId(
        textColumn("Task"),
        { id: "Project", type: "Ref:Projects", show: "Project" },
        { id: "Assignee", type: "Ref:People", show: "Name" },
        choiceColumn("Status", { "To do": "blue", "In progress": "amber", Waiting: "violet", Done: "green" }),
        choiceColumn("Priority", { High: "red", Medium: "orange", Low: "grey" }),
        dateColumn("Due", { conditionalStyles: [{ formula: "$Overdue", style: { ...COLOURS.red, fontBold: true } }] }),
        {
          id: "Overdue",
          type: "Bool",
          description: "True for tasks that are not done after their due date.",
          formula: '$Status != "Done" and $Due is not None and $Due < TODAY()',
        },
        textColumn("Notes"),
      ),
    },
    Projects: {
      id: "Projects",
      columns: byId(
        textColumn("Project"),
        { id: "Lead", type: "Ref:People", show: "Name" },
        choiceColumn("Status", { Planned: "blue", Active: "amber", Finished: "green" }),
        dateColumn("Deadline"),
        countColumn("Tasks", "len(Tasks.lookupRecords(Project=$id))"),
        {
          id: "Done",
          type: "Numeric",
          formula: 'len(Tasks.lookupRecords(Project=$id, Status="Done")) / $Tasks if $Tasks else 0',
          options: { numMode: "percent", decimals: 0 },
        },
        countColumn("Overdue", "len(Tasks.lookupRecords(Project=$id, Overdue=True))"),
      ),
    },
    People: {
      id: "People",
      columns: byId(
        textColumn("Name"),
        textColumn("Email"),
        textColumn("Team"),
        countColumn("Open_tasks", 'len([t for t in Tasks.lookupRecords(Assignee=$id) if t.Status != "Done"])'),
        countColumn("Overdue", "len(Tasks.lookupRecords(Assignee=$id, Overdue=True))"),
      ),
    },
  },
  rows: (day) => ({
    People: PEOPLE.map(([Name, Email, Team]) => ({ Name, Email, Team })),
    Projects: PROJECTS.map(([Project, Lead, Status, deadline]) => ({ Project, Lead, Status, Deadline: day(deadline) })),
    Tasks: TASKS.map((task) => taskRow(task, day)),
  }),
};

const PEOPLE: readonly [name: string, email: string, team: string][] = [
  ["Ada Kern", "ada@example.com", "Design"],
  ["Ben Ortiz", "ben@example.com", "Engineering"],
  ["Cleo Marsh", "cleo@example.com", "Marketing"],
  ["Noor Haddad", "noor@example.com", "Engineering"],
];

const PROJECTS: readonly [project: string, lead: number, status: string, deadline: number][] = [
  ["Website relaunch", 1, "Active", 35],
  ["Mobile app", 2, "Active", 70],
  ["Spring campaign", 3, "Planned", 90],
];

/** A task; projects and people are positions in their lists, from 1, and the due date is in days after the creation. */
type Task = readonly [
  task: string,
  project: number,
  assignee: number,
  status: string,
  priority: string,
  due: number,
  notes?: string,
];

const TASKS: readonly Task[] = [
  ["Collect requirements", 1, 3, "Done", "Medium", -20],
  ["Sketch the home page", 1, 1, "Done", "High", -9],
  ["Write product texts", 1, 3, "In progress", "Medium", -2, "Texts for 12 of 20 products are ready"],
  ["Build the contact form", 1, 4, "In progress", "Medium", 5],
  ["Test with the keyboard", 1, 4, "To do", "High", 12],
  ["Move the domain", 1, 2, "Waiting", "Low", 30, "Waiting for the provider"],
  ["Choose a framework", 2, 2, "Done", "High", -6],
  ["Sign in with a passkey", 2, 4, "In progress", "High", -1],
  ["Work offline", 2, 2, "To do", "Medium", 24],
  ["Publish to the stores", 2, 2, "To do", "Low", 65],
  ["Set the budget", 3, 3, "To do", "High", 8],
  ["Book a photographer", 3, 1, "To do", "Low", 40],
];

const taskRow = ([Task, Project, Assignee, Status, Priority, due, Notes = ""]: Task, day: DayOf): TemplateRow => ({
  Task,
  Project,
  Assignee,
  Status,
  Priority,
  Due: day(due),
  Notes,
});
