/** All components in all states. Texts are samples, and are not translated. */
import type { Child, FC } from "hono/jsx";
import type { UserActor } from "../../src/authorization.ts";
import { assetPath } from "../../src/web/assets.ts";
import { Badge, EmptyState, HelpLink, Icon, Name, Note, TimeElement } from "../../src/web/base/components.tsx";
import type { IconName } from "../../src/web/base/icons.ts";
import { Page } from "../../src/web/base/layout.tsx";
import { SidebarEntry, SidebarGroup } from "../../src/web/base/shell/sidebar.tsx";

const USER: UserActor = {
  kind: "user",
  userId: 1,
  email: "ada@example.com",
  name: "Ada Kern",
  ref: "ada",
  isAdmin: true,
  isService: false,
  via: "session",
};

const SECTIONS: readonly { id: string; title: string; icon: IconName; content: FC }[] = [
  { id: "buttons", title: "Buttons", icon: "square", content: () => <Buttons /> },
  { id: "fields", title: "Form fields", icon: "type", content: () => <Fields /> },
  { id: "toolbar", title: "Toolbar", icon: "list-filter", content: () => <ToolbarSample /> },
  { id: "surfaces", title: "Menu, popover, panel, dialog", icon: "panel-left", content: () => <Surfaces /> },
  { id: "messages", title: "Toasts and messages", icon: "triangle-alert", content: () => <Messages /> },
  { id: "entries", title: "Tables and entries", icon: "table", content: () => <Entries /> },
  { id: "small", title: "Small parts", icon: "circle-dot", content: () => <SmallParts /> },
];

export const ComponentsPage: FC = () => (
  <Page title="Components" user={USER} here="/" broad sidebar={<SampleSidebar />} place={<Crumbs />}>
    <link rel="stylesheet" href={assetPath("table.css")} />
    <div>
      {SECTIONS.map(({ id, title, content: Content }) => (
        <section id={id} class="card" aria-labelledby={`${id}-title`}>
          <h2 id={`${id}-title`}>{title}</h2>
          <Content />
        </section>
      ))}
    </div>
    <script type="module" src="/texts.js"></script>
    <script type="module" src="/components.js"></script>
  </Page>
);

const SampleSidebar: FC = () => (
  <SidebarGroup label="Components" isTitled>
    {SECTIONS.map(({ id, title, icon }) => (
      <SidebarEntry to={`#${id}`} icon={icon} isCurrent={id === "buttons"} label={title} />
    ))}
  </SidebarGroup>
);

const Crumbs: FC = () => (
  <nav class="crumbs" aria-label="Location">
    <a class="document-name" href="/">
      Components
    </a>
  </nav>
);

/** States that the page's script shows without a pointer and without focus. */
const STATES: Readonly<Record<string, Readonly<Record<string, string | boolean>>>> = {
  Default: {},
  Hover: { "data-shown": "hover" },
  Focus: { "data-shown": "focus" },
  Pressed: { "aria-pressed": "true" },
  Disabled: { "aria-disabled": "true", "aria-describedby": "disabled-reason" },
  Loading: { "aria-busy": "true" },
};

const KINDS: readonly { name: string; class: string; icon?: IconName }[] = [
  { name: "Filled", class: "" },
  { name: "Plain", class: "plain", icon: "download" },
  { name: "Danger", class: "danger" },
  { name: "Small", class: "plain small", icon: "list-filter" },
];

const Buttons: FC = () => (
  <>
    <p id="disabled-reason" class="hint">
      Clear the sort to insert rows at a position.
    </p>
    <div class="table-box" tabindex={0} role="group" aria-label="Buttons">
      <table>
        <thead>
          <tr>
            <th scope="col">Kind</th>
            {Object.keys(STATES).map((state) => (
              <th scope="col">{state}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {KINDS.map((kind) => (
            <tr>
              <th scope="row" class="number">
                {kind.name}
              </th>
              {Object.entries(STATES).map(([state, attributes]) => (
                <td class="number">
                  <button type="button" class={kind.class} {...attributes}>
                    {kind.icon && <Icon name={kind.icon} />}
                    {kind.name}
                    <span class="unseen"> {state}</span>
                  </button>
                </td>
              ))}
            </tr>
          ))}
          <tr>
            <th scope="row">Icon</th>
            {Object.entries(STATES).map(([state, attributes]) => (
              <td>
                <button type="button" class="bare" aria-label={`Close, ${state}`} {...attributes}>
                  <Icon name="x" />
                </button>
              </td>
            ))}
          </tr>
        </tbody>
      </table>
    </div>
  </>
);

const Field: FC<{ label: string; hint?: string; children: Child }> = ({ label, hint, children }) => (
  <>
    <label>
      {label}
      {children}
    </label>
    {hint !== undefined && <p class="hint">{hint}</p>}
  </>
);

const Fields: FC = () => (
  <form id="fields-form">
    <Field label="Default" hint="The hint is below the field.">
      <input name="default" value="Orders" />
    </Field>
    <Field label="Hover">
      <input name="hover" data-shown="hover" value="Orders" />
    </Field>
    <Field label="Focus">
      <input name="focus" data-shown="focus" value="Orders" />
    </Field>
    <div id="text-error">
      <Field label="Error (required)">
        <input name="error" required value="" />
      </Field>
    </div>
    <Field label="Disabled">
      <input name="disabled" aria-disabled="true" aria-describedby="disabled-reason" readonly value="Orders" />
    </Field>
    <Field label="Read-only">
      <input name="read-only" readonly value="You can view this document, not edit it" />
    </Field>
    <Field label="Selection">
      <select name="selection">
        <option>Editor</option>
        <option selected>Viewer</option>
      </select>
    </Field>
    <Field label="Text">
      <textarea name="text">Two lines{"\n"}of text</textarea>
    </Field>
    <fieldset>
      <legend>Check boxes</legend>
      <div class="choices">
        <label>
          <input type="checkbox" name="on" checked />
          On
        </label>
        <label>
          <input type="checkbox" name="off" />
          Off
        </label>
      </div>
    </fieldset>
    <fieldset>
      <legend>Radio buttons</legend>
      <div class="choices">
        <label>
          <input type="radio" name="radio" checked />
          Data
        </label>
        <label>
          <input type="radio" name="radio" />
          Formula
        </label>
      </div>
    </fieldset>
    <div class="search">
      <Icon name="search" />
      <input type="search" name="search" aria-label="Search" placeholder="Search" />
    </div>
  </form>
);

const ToolbarSample: FC = () => (
  <div class="bar" id="toolbar-sample">
    <button type="button" class="plain small" aria-pressed="true">
      <Icon name="list-filter" />
      Filter 2
    </button>
    <button type="button" class="plain small" aria-pressed="false">
      <Icon name="eye-off" />
      Columns
    </button>
    <span class="grow" />
    <button type="button" class="bare" aria-label="Undo" title="Undo">
      <Icon name="undo-2" />
    </button>
    <button
      type="button"
      class="bare"
      aria-label="Redo"
      title="Redo"
      aria-disabled="true"
      aria-describedby="redo-reason"
    >
      <Icon name="redo-2" />
    </button>
    <span id="redo-reason" hidden>
      Nothing to redo
    </span>
  </div>
);

const Surfaces: FC = () => (
  <div class="bar">
    {["menu", "popover", "panel", "dialog", "form", "confirmation"].map((name) => (
      <button type="button" class="plain" data-open={name}>
        Open {name}
      </button>
    ))}
  </div>
);

const Messages: FC = () => (
  <>
    <Note text="A note: the state of what is shown." />
    <Note text="A problem: what is wrong, and what to do." problem />
    <p class="note warning">A warning.</p>
    <div id="problem-place" class="problem-place" />
    <div class="bar">
      {["toast", "toast with Undo", "toast about a problem", "problem"].map((name) => (
        <button type="button" class="plain" data-open={name}>
          Show {name}
        </button>
      ))}
    </div>
  </>
);

const Entries: FC = () => (
  <>
    <div class="table-box" tabindex={0} role="group" aria-label="Users">
      <table class="hover">
        <caption class="unseen">Users</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Role</th>
            <th scope="col" class="number">
              Documents
            </th>
          </tr>
        </thead>
        <tbody>
          {["Ada Kern", "Ben Ortiz"].map((name, at) => (
            <tr>
              <th scope="row">
                <Name text={name} />
              </th>
              <td>{at === 0 ? "Administrator" : "User"}</td>
              <td class="number">{1200 * (at + 1)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    <ul class="entries">
      {["Home", "Team One"].map((name) => (
        <li>
          <div class="what">
            <span class="name">
              <Name text={name} />
            </span>
            <Badge text="Editor" />
            <small>
              12 documents, changed <TimeElement at="2026-03-02T09:14:08.000Z" />
            </small>
          </div>
          <div class="bar">
            <button type="button" class="plain small">
              Open<span class="unseen"> {name}</span>
            </button>
          </div>
        </li>
      ))}
    </ul>
  </>
);

const SmallParts: FC = () => (
  <>
    <p>
      <Badge text="Viewer" /> <Badge text="Active" kind="good" /> <Badge text="Expired" kind="danger" />
    </p>
    <p>
      A <a href="#small">link</a>, a <mark>hit of a search</mark>, <code>code</code> and <HelpLink topic="filters" />
    </p>
    <progress aria-label="Import" max="1" value="0.43" />
    <div class="skeleton" aria-hidden="true">
      &nbsp;
    </div>
    <EmptyState title="No webhooks yet" icon="webhook">
      <p>A webhook sends changed rows to another program.</p>
      <div class="bar">
        <button type="button" class="plain">
          Add webhook
        </button>
      </div>
    </EmptyState>
  </>
);
