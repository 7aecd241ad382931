import { createContext, useContext } from "hono/jsx";
import { type ListChoice, parseListChoice } from "./list-choice.ts";

export const ListChoiceContext = createContext<ListChoice>(parseListChoice(""));

/** Returns the choice of the visitor, within components. */
export const useListChoice = (): ListChoice => useContext(ListChoiceContext);
