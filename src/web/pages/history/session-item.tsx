import type { Child, FC } from "hono/jsx";
import type { History } from "../../../wire/documents/history.ts";
import { Badge, MarkedText } from "../../base/components.tsx";
import { useTexts } from "../../base/page-texts.tsx";
import { ChangeAuthor, RestoreButton } from "./components.tsx";
import { joinWithAnd } from "./joined-names.ts";
import type { NamesByState } from "./past-schema.ts";
import { summarizeState, summarizeStates } from "./summaries.ts";

type State = History["states"][number];

interface ItemProps {
  readonly names: NamesByState;
  readonly address: string;
  /** The number of the document's present state, if it is on the page. */
  readonly newest: number | undefined;
  readonly isOwner: boolean;
}

/** The changes of a session: one alone, or several below a summary. */
export const SessionItem: FC<ItemProps & { states: readonly State[] }> = ({ states, ...rest }) => {
  const t = useTexts();
  const [last] = states;
  const first = states.at(-1);
  if (!first || !last) return <></>;
  if (first === last) return <StateItem state={last} {...rest} />;
  const { names, address } = rest;
  const count = states.length;
  // The first state has none before it.
  const compared = first.n > 1 ? `${address}/${first.n - 1}?with=${last.n}` : null;
  return (
    <li class="session">
      <div class="what">
        <Sentences sentences={summarizeStates(t, states, names)} link={compared} />
        <small>
          <ChangeAuthor state={last} />
        </small>
        <details>
          <summary>{t("history.changes", { count })}</summary>
          <ol class="states">
            {states.map((state) => (
              <StateItem state={state} {...rest} />
            ))}
          </ol>
        </details>
      </div>
      {last.n === rest.newest && <Badge text={t("history.now")} kind="good" />}
    </li>
  );
};

const StateItem: FC<ItemProps & { state: State }> = ({ state, names, address, newest, isOwner }) => {
  const t = useTexts();
  const sentences = summarizeState(t, state, names(state.n));
  return (
    <li>
      <div class="what">
        <Sentences sentences={sentences} link={`${address}/${state.n}`} id={`state-${state.n}`} />
        <small>
          <ChangeAuthor state={state} /> <span class="number">{t("history.state", { n: state.n })}</span>
        </small>
      </div>
      {state.n === newest ? (
        <Badge text={t("history.now")} kind="good" />
      ) : (
        isOwner && <RestoreButton n={state.n} summary={joinWithAnd(t, sentences.slice(0, MAX_SENTENCES))} />
      )}
    </li>
  );
};

const MAX_SENTENCES = 3;

interface SentencesProps {
  readonly sentences: readonly string[];
  readonly link: string | null;
  readonly id?: string;
}

/** The first sentence is the link. */
const Sentences: FC<SentencesProps> = ({ sentences, link, id }) => {
  const t = useTexts();
  const more = sentences.length - MAX_SENTENCES;
  const [first = "", ...others] = sentences.slice(0, MAX_SENTENCES);
  const text: Child = <MarkedText text={first} />;
  return (
    <>
      {link === null ? (
        <span class="title">{text}</span>
      ) : (
        <a href={link} id={id}>
          {text}
        </a>
      )}
      {others.map((sentence) => (
        <span class="also">
          <MarkedText text={sentence} />
        </span>
      ))}
      {more > 0 && <span class="also quiet">{t("history.more", { count: more })}</span>}
    </>
  );
};
